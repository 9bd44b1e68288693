package simulation_test

import (
	"reflect"
	"slices"
	"testing"

	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/columns"
	"payonce/pipeline/output"
	"payonce/pipeline/scan"
)

// TestEveryMemberOfAStepIsInTheConfiguration changes each member of a step, and of what is in it, on its own. The
// configuration must change too, except for members that do not change the output.
func TestEveryMemberOfAStepIsInTheConfiguration(t *testing.T) {
	leftOut := []string{
		".Index", ".Answers", ".Refuses", ".Output.Scope.Next", ".Output.Decoder", ".Output.Decided", ".Output.Scope.Forgotten", ".Output.Scope.Priority",
		".Output.Scope.Reask", ".Output.Scope.InFlight", ".Output.Scope.Only", ".Output.Scope.Memory", ".Output.Scope.TempDir", ".Output.Scope.Known", ".Output.shown",
	}
	members := 0
	var change func(name string, of func(*output.StepOutput) reflect.Value)
	change = func(name string, of func(*output.StepOutput) reflect.Value) {
		if slices.Contains(leftOut, name) {
			return
		}
		var before, after output.StepOutput
		value := of(&after)
		switch value.Kind() {
		case reflect.Struct:
			for i := range value.NumField() {
				field := value.Type().Field(i)
				if !field.IsExported() && !slices.Contains(leftOut, name+"."+field.Name) {
					t.Fatalf("%s.%s cannot be changed by this test", name, field.Name)
				}
				change(name+"."+field.Name, func(s *output.StepOutput) reflect.Value { return of(s).Field(i) })
			}
			return
		case reflect.Slice:
			value.Set(reflect.MakeSlice(value.Type(), 1, 1))
			change(name+"[]", func(s *output.StepOutput) reflect.Value {
				list := of(s)
				list.Set(reflect.MakeSlice(list.Type(), 1, 1))
				return list.Index(0)
			})
		case reflect.Map:
			value.Set(reflect.MakeMap(value.Type()))
			value.SetMapIndex(reflect.Zero(value.Type().Key()), reflect.Zero(value.Type().Elem()))
		case reflect.String:
			value.SetString("x")
		case reflect.Bool:
			value.SetBool(true)
		case reflect.Int, reflect.Int64:
			value.SetInt(1)
		case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			value.SetUint(1)
		default:
			t.Fatalf("%s is a %s, which differs in each process; leave it out or write what it holds", name, value.Type())
		}
		members++
		if (output.Sequence{before}).Configuration() == (output.Sequence{after}).Configuration() {
			t.Errorf("%s is not in the configuration", name)
		}
	}
	change("", func(s *output.StepOutput) reflect.Value { return reflect.ValueOf(s).Elem() })
	if members < 40 {
		t.Errorf("only %d members were changed", members)
	}
}

// TestAConfigurationIsTheSameInEveryProcess has steps with pointers and maps in all members.
func TestAConfigurationIsTheSameInEveryProcess(t *testing.T) {
	configured := func() output.Sequence {
		mapping := columns.Mapping{}
		for i, role := range columns.Roles() {
			mapping[role] = []int{i}
		}
		step := output.StepOutput{Name: "v1", Output: output.Output{
			Scope: scan.Scope{
				Catalogue: v1.Catalogue(), Mapping: mapping, Wanted: v1.Catalogue().All(), Priority: &scan.Priority{Column: 1},
				Selected: map[string]string{"b": "2", "a": "1"}, Values: map[enrich.Field]int{1: 2, 0: 1},
				Forgotten: map[enrich.Key]bool{{1}: true},
			},
			Decoder: new(v1.AnswerDecoder),
		}}
		return output.Sequence{step, step}
	}
	want := configured().Configuration()
	for range 20 {
		if got := configured().Configuration(); got != want {
			t.Fatalf("the configuration is\n%s\nand then\n%s", want, got)
		}
	}
}
