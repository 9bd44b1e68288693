package configs

import (
	"strings"

	"github.com/spf13/pflag"
)

// FlagSchema returns the JSON Schema of a configuration for several commands, with a section if that has a name. The
// value of a flag can have a method Schema that says what its values look like.
func FlagSchema(section Section, commands ...*pflag.FlagSet) map[string]any {
	properties := propertiesOf(commands...)
	if section.Name != "" {
		properties[section.Name] = map[string]any{
			"description": section.Text, "type": []string{"object", "null"}, "properties": propertiesOf(section.Keys), "additionalProperties": false,
		}
	}
	return map[string]any{
		"$schema":              "https://json-schema.org/draft/2020-12/schema",
		"title":                "A configuration of batch plan and batch run",
		"description":          "Every key is the long name of a flag, or a section; the command line wins. ${NAME} stands for a variable of the environment.",
		"type":                 "object",
		"properties":           properties,
		"additionalProperties": false,
	}
}

// propertiesOf returns the schemas of the values of flags, by the keys of a configuration.
func propertiesOf(commands ...*pflag.FlagSet) map[string]any {
	properties := map[string]any{}
	for _, flags := range commands {
		flags.VisitAll(func(flag *pflag.Flag) {
			if allowed(flag.Name) {
				property := flagSchema(flag)
				property["description"] = strings.ReplaceAll(flag.Usage, "`", "")
				properties[flag.Name] = property
				if _, isPairs := flag.Value.(*PairsFlag); isPairs {
					properties[strings.ReplaceAll(flag.Name, "-", "_")] = property
				}
			}
		})
	}
	return properties
}

// SecretSchema is the schema of the value of one of a target's Secrets.
func SecretSchema() map[string]any {
	secret := pattern(onlyVariable.String())
	secret["description"] = "A variable of the environment, such as ${ALERT_SECRET}."
	return secret
}

// reference is a value that comes from the environment.
var reference = pattern(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// span is the pattern of a time span, such as 45s or 1m30s.
const span = `([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+`

// pattern is a text of that form.
func pattern(form string) map[string]any { return map[string]any{"type": "string", "pattern": form} }

// flagSchema returns the schema of a flag's values. Where a value is not text, a
// variable may still stand in its place.
func flagSchema(flag *pflag.Flag) map[string]any {
	or := func(schemas ...any) map[string]any { return map[string]any{"anyOf": append(schemas, reference)} }
	if own, ok := flag.Value.(interface{ Schema() map[string]any }); ok {
		return or(own.Schema())
	}
	if choice, ok := flag.Value.(*ChoiceFlag); ok {
		return or(map[string]any{"enum": choice.Choices})
	}
	text := map[string]any{"type": "string"}
	switch flag.Value.Type() {
	case "bool":
		return or(map[string]any{"type": "boolean"})
	case "N":
		return or(map[string]any{"type": "integer", "minimum": 1})
	case "int", "int64":
		return or(map[string]any{"type": "integer", "minimum": 0})
	case "duration":
		return or(pattern("^" + span + "$"))
	case "N/WINDOW":
		return or(pattern("^[0-9]+/" + span + "$"))
	case "AGE":
		return or(pattern("^([0-9]+d|" + span + ")$"))
	case "SIZE":
		return or(pattern("^[0-9]+ *([KMGkmg][Bb]?|[Bb])$"))
	case "USD":
		return or(map[string]any{"type": "number", "minimum": 0}, pattern(`^\$?[0-9]+(\.[0-9]{1,6})?$`))
	case "FIELDS":
		names := []string{"email", "phone", "work_email", "business_phone"}
		field, one := map[string]any{"enum": names}, "("+strings.Join(names, "|")+")"
		return or(field, pattern("^"+one+"(, *"+one+")*$"), map[string]any{"type": "array", "items": field, "minItems": 1})
	case "stringArray":
		return or(text, map[string]any{"type": "array", "items": text})
	case "FIGURES":
		return or(map[string]any{"type": "string"}, map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "minItems": 1})
	case "YEARS":
		year := map[string]any{"type": []string{"string", "integer"}}
		return or(year, map[string]any{"type": "array", "items": year, "minItems": 1})
	case "PERCENT":
		return or(text, map[string]any{"type": "integer", "minimum": 0, "maximum": 90})
	}
	return map[string]any{"type": []string{"string", "number"}}
}
