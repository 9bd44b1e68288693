package columns

import "testing"

func TestTextsOfTheFormLastFirst(t *testing.T) {
	for text, want := range map[string][2]bool{
		"Lee, Ann":              {true, true},
		"Müller, Jörg":          {true, true},
		"García López, María":   {true, true},
		"van der Berg, Jan":     {true, true},
		"O'Brien, Patrick J.":   {true, true},
		"Dupont, Jean-Pierre":   {true, true},
		"Żak, Łukasz":           {true, true},
		"Nørgaard, Søren":       {true, true},
		"Schmidt, Dr. Anna":     {true, true},
		"Okonkwo, Chukwuemeka":  {true, false},
		"Berlin, Germany":       {true, false},
		"Amman, Jordan":         {true, false},
		"Richmond, Virginia":    {true, false},
		"Atlanta, Georgia":      {true, false},
		"Acme, Inc.":            {false, false},
		"Ann Lee, Acme Ltd":     {false, false},
		"Austin, TX 78701":      {true, false},
		"Lee, Ann, PhD":         {true, true},
		"Ann Lee":               {false, false},
		"CEO, Founder and Host": {true, false},
		", Ann":                 {false, false},
		"Lee,":                  {false, false},
	} {
		isReversed, isGiven := IsReversed(text)
		if got := [2]bool{isReversed, isGiven}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
