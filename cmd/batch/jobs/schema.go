package jobs

import (
	"payonce/configs"
)

// Schema returns the JSON Schema of jobs files.
func (r FileReader) Schema() map[string]any {
	run := r.NewRun()
	job := configs.FlagSchema(run.Section, flagsOf(&own{}, run.Flags))
	delete(job, "$schema")
	keys, _ := job["properties"].(map[string]any)
	for _, name := range jobSecrets() {
		keys[name] = configs.SecretSchema()
	}
	job["title"] = "A job"
	job["description"] = "Keys of the job and of batch run. ${NAME} stands for a variable of the environment."
	return map[string]any{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "A jobs file of batch jobs",
		"description": "Lists that are enriched at set times.",
		"type":        "object",
		"properties": map[string]any{
			defaultsName: map[string]any{
				"description": "Keys of every job that does not have them itself.",
				"anyOf":       []any{map[string]any{"$ref": "#/$defs/job"}, map[string]any{"type": "null"}},
			},
			jobsName: map[string]any{
				"description":          "The jobs by their names.",
				"type":                 "object",
				"minProperties":        1,
				"propertyNames":        map[string]any{"pattern": nameForm.String()},
				"additionalProperties": map[string]any{"$ref": "#/$defs/job"},
			},
			alertsName: map[string]any{
				"description":          "The channels of alerts by their names.",
				"type":                 []string{"object", "null"},
				"propertyNames":        map[string]any{"pattern": nameForm.String()},
				"additionalProperties": map[string]any{"$ref": "#/$defs/alert"},
			},
		},
		"required":             []string{jobsName},
		"additionalProperties": false,
		"$defs":                map[string]any{"job": job, "alert": alertSchema()},
	}
}
