package checkpoint

import "payonce/checkpoint/record"

// Run is what the journal remembers of a run besides its attempts.
type Run = record.Run

// PeopleSearch says how people of the companies of a list are searched for.
type PeopleSearch = record.PeopleSearch

// AskedAccount is an account that a run asked.
type AskedAccount = record.AskedAccount

// ModuleDrift is what an account lost of one module that the journal cannot explain.
type ModuleDrift = record.ModuleDrift

// StepEnds says how each step of one start of a run ended.
type StepEnds = record.StepEnds

// StepEnd says how a step ended.
type StepEnd = record.StepEnd

// NotSent are lookups of a step that were not sent because of a limit on what they use.
type NotSent = record.NotSent

// SaveRun records a run, in place of what was recorded under its name.
func (j *Journal) SaveRun(run record.Run) error {
	return replace(j, record.NameKey(record.RunPrefix, run.Name), &run)
}

// replace writes a record in place of the one with its key.
func replace[T record.Record](j *Journal, key []byte, value *T) error {
	write, err := record.Replace(j.store, key, value)
	if err != nil {
		return err
	}
	j.lock()
	durable := j.enqueue(nil, write)
	j.mu.Unlock()
	return <-durable
}

// Run returns the run of that name, and false when there is none.
func (j *Journal) Run(name string) (record.Run, bool, error) {
	return record.Load[record.Run](j.store, record.NameKey(record.RunPrefix, name))
}

// SaveFile records a list that was written, in place of what was recorded under its path.
func (j *Journal) SaveFile(file record.File) error {
	return replace(j, record.NameKey(record.FilePrefix, file.Path), &file)
}

// File returns what is recorded of the list at an absolute path, and false when nothing is.
func (j *Journal) File(path string) (record.File, bool, error) {
	return record.Load[record.File](j.store, record.NameKey(record.FilePrefix, path))
}

// Runs returns all runs in the order of their names.
func (j *Journal) Runs() ([]record.Run, error) {
	var runs []record.Run
	err := j.store.Scan([]byte{record.RunPrefix}, nil, func(key, value []byte) (bool, error) {
		var run record.Run
		err := record.Decode(key, value, &run)
		runs = append(runs, run)
		return true, err
	})
	return runs, err
}
