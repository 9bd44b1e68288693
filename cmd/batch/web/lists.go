// This file has the screens of lists and of their columns.

package web

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"payonce/enrich"
	"payonce/io/atomicfile"
	"payonce/io/listfile"
	"payonce/pipeline/columns"
	"payonce/pipeline/report"
)

// The names of the directories with lists in URLs.
const (
	inFolder = "folder"
	inUpload = "upload"
)

// listFile is a list that can be chosen. Its address in URLs is the name of the directory and the name of the file.
type listFile struct {
	Name, Address string
	Bytes         int64
	Changed       time.Time
}

func (s *Server) directoryOf(place string) (string, bool) {
	switch place {
	case inFolder:
		return s.Lists, s.Lists != ""
	case inUpload:
		return s.files.uploads, true
	}
	return "", false
}

// listsIn returns the lists of a directory, the last changed first.
func (s *Server) listsIn(place string) (found []listFile, err error) {
	dir, known := s.directoryOf(place)
	if !known {
		return nil, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		info, infoErr := root.Stat(entry.Name()) // a link that leads out is an error
		if infoErr != nil || !info.Mode().IsRegular() || strings.HasPrefix(entry.Name(), ".") || !listfile.HasListEnding(entry.Name()) {
			continue
		}
		found = append(found, listFile{entry.Name(), place + "/" + entry.Name(), info.Size(), info.ModTime()})
	}
	slices.SortStableFunc(found, func(a, b listFile) int { return b.Changed.Compare(a.Changed) })
	return found, err
}

// pathOf returns the file of a list by its address. An address cannot leave the directories of lists, and neither can a
// link there: the list, its mapping file and its result may be links to files of the directory only. Others may have
// the right to write there.
func (s *Server) pathOf(address string) (string, error) {
	place, name, _ := strings.Cut(address, "/")
	dir, known := s.directoryOf(place)
	if !known || name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00") || !listfile.HasListEnding(name) {
		return "", notFound("There is no such list.")
	}
	path := filepath.Join(dir, name)
	for _, file := range []string{path, columns.MappingNameFor(path), s.outputOf(path)} {
		if err := staysIn(file); err != nil {
			return "", err
		}
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", notFound("The list was removed.")
	}
	return path, nil
}

// staysIn refuses a file that is a link which leads out of its directory.
func staysIn(path string) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Stat(filepath.Base(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &refusal{http.StatusForbidden, filepath.Base(path) + " is a link that leads out of the folder, or cannot be read, so it is not opened. Remove the link."}
	}
	return nil
}

// outputOf returns where the result of a list is written: beside a list of the folder, and for an upload in a directory
// of results.
func (s *Server) outputOf(path string) string {
	plain := listfile.TrimCompression(path)
	ending := filepath.Ext(plain) + path[len(plain):]
	name := strings.TrimSuffix(path, ending) + ".enriched" + ending
	if filepath.Dir(path) == s.files.uploads {
		return filepath.Join(s.files.results, filepath.Base(name))
	}
	return name
}

func (s *Server) showLists(w http.ResponseWriter, r *http.Request) error {
	view := struct {
		Folder, Unreadable string
		Lists, Uploads     []listFile
		Most               string
	}{Folder: s.Lists, Most: sizeText(s.MaxUpload)}
	var err error
	if view.Lists, err = s.listsIn(inFolder); err != nil {
		view.Unreadable = err.Error()
	}
	if view.Uploads, err = s.listsIn(inUpload); err != nil {
		return err
	}
	s.show(w, r, http.StatusOK, "Lists", "lists", view)
	return nil
}

// sizeText returns a number of bytes as people read it.
func sizeText(bytes int64) string {
	switch {
	case bytes >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(bytes)/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%d KB", (bytes+1023)/1024)
}

func (s *Server) tooLarge() string {
	return "An upload can have at most " + sizeText(s.MaxUpload) + ". Put a larger list into the folder of lists, or compress it. Nothing was kept."
}

// upload saves a list that a browser sends. The file appears complete or not at all.
func (s *Server) upload(w http.ResponseWriter, r *http.Request) error {
	if r.ContentLength > 0 {
		if err := atomicfile.CheckRoom([]atomicfile.Needed{{Dir: s.files.uploads, Bytes: r.ContentLength}}); err != nil {
			return noRoom(err)
		}
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return badRequest("This is not an upload of this page.")
	}
	part, err := parts.NextPart()
	for err == nil && part.FileName() == "" {
		part, err = parts.NextPart()
	}
	if errors.Is(err, io.EOF) {
		return badRequest("Choose a file first.")
	}
	if err != nil {
		return s.asTooLarge(err)
	}
	name, err := uploadName(part.FileName())
	if err != nil {
		return err
	}
	path, err := s.keepUpload(part, name)
	if errors.Is(err, syscall.ENOSPC) {
		return noRoom(err)
	}
	if err != nil {
		return s.asTooLarge(err)
	}
	http.Redirect(w, r, "/columns?"+queryOf("list", inUpload+"/"+filepath.Base(path)), http.StatusSeeOther)
	return nil
}

func noRoom(err error) error {
	return &refusal{http.StatusInsufficientStorage, "There is not enough room for this list: " + err.Error() + ". Nothing was kept."}
}

// asTooLarge turns the error of a body that is too large into a refusal. It returns other errors unchanged.
func (s *Server) asTooLarge(err error) error {
	if _, is := errors.AsType[*http.MaxBytesError](err); is {
		return &refusal{http.StatusRequestEntityTooLarge, s.tooLarge()}
	}
	return err
}

// longestName is the longest name of an upload, in bytes. File systems allow 255, and outputs have longer names.
const longestName = 150

// uploadName returns the file name of an upload, without a path. It refuses names that cannot be shown as they are.
func uploadName(given string) (string, error) {
	name := given[strings.LastIndexAny(given, `/\`)+1:]
	if !utf8.ValidString(name) || report.Printable(name) != name || strings.HasPrefix(name, ".") || len(name) > longestName {
		return "", badRequest("This file name cannot be used. Rename the file and upload it again.")
	}
	if !listfile.HasListEnding(name) {
		return "", badRequest("This is not a list. Lists are CSV, TSV, Excel (.xlsx), Parquet or JSON files.")
	}
	return name, nil
}

// keepUpload writes an upload under its name. If a file or another upload has the name, it adds a number.
func (s *Server) keepUpload(from *multipart.Part, name string) (path string, err error) {
	path = s.takeName(name)
	defer s.taken.Delete(path)
	err = atomicfile.Replace(path, 0o600, func(w io.Writer) error { _, err := io.Copy(w, from); return err })
	return path, err
}

// takeName returns a path for an upload that nobody else has.
func (s *Server) takeName(name string) (path string) {
	plain := listfile.TrimCompression(name)
	ending := filepath.Ext(plain) + name[len(plain):]
	for n := 1; ; n++ {
		path = filepath.Join(s.files.uploads, name)
		if n > 1 {
			path = filepath.Join(s.files.uploads, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ending), n, ending))
		}
		if _, other := s.taken.LoadOrStore(path, true); other {
			continue
		}
		if _, err := os.Lstat(path); err != nil { // nothing is there, or Replace says what is wrong
			return path
		}
		s.taken.Delete(path)
	}
}

// queryOf returns the query of a URL with pairs of names and values.
func queryOf(pairs ...string) string {
	query := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		query.Add(pairs[i], pairs[i+1])
	}
	return query.Encode()
}

// columnsView is what the screen of columns shows.
type columnsView struct {
	List, Name string
	Columns    []columnView
	Rows       []report.MappedRow
	Mapping    *report.Mapping
	Roles      []columns.Role
	Asked      []string // the fields for which the columns are read; none for the usual ones
	Plan       planForm
}

// columnView is a column with its present role.
type columnView struct {
	report.MappedColumn
	Role columns.Role
}

func (s *Server) showColumns(w http.ResponseWriter, r *http.Request) error {
	address := r.FormValue("list")
	path, err := s.pathOf(address)
	if err != nil {
		return err
	}
	form := s.formOf(r.URL.Query())
	m, err := s.Program.Mapping(r.Context(), path, form.reading())
	if err != nil {
		return err
	}
	defer m.Close()
	view := columnsView{List: address, Name: filepath.Base(path), Mapping: m.View(), Roles: m.Roles(), Asked: r.URL.Query()["fields"], Plan: form}
	for i, column := range view.Mapping.Columns {
		view.Columns = append(view.Columns, columnView{column, m.RoleOf(i)})
	}
	view.Rows = view.Mapping.Rows
	if len(form.Flags) == 0 {
		view.Plan.setFields(usualFields(m.Reading.Lists, s.Program.Choices().Fields))
	}
	s.show(w, r, http.StatusOK, "Columns of "+view.Name, "columns", view)
	return nil
}

// usualFields returns the field that is looked up when nobody has chosen one. For a list of companies it is their
// records.
func usualFields(lists enrich.Subject, all []string) []string {
	if name := lists.String(); lists == enrich.Companies && slices.Contains(all, name) {
		return []string{name}
	}
	return all[:1]
}

// saveColumns saves the mapping of a list, which plans and runs use.
func (s *Server) saveColumns(w http.ResponseWriter, r *http.Request) error {
	address := r.PostFormValue("list")
	path, err := s.pathOf(address)
	if err != nil {
		return err
	}
	var form planForm
	form.setFields(r.PostForm["fields"])
	m, err := s.Program.Mapping(r.Context(), path, form.reading())
	if err != nil {
		return err
	}
	defer m.Close()
	chosen := map[columns.Role][]int{}
	for i := range m.Schema.Columns {
		if role := columns.Role(r.PostFormValue(fmt.Sprintf("role-%d", i+1))); role != "" {
			chosen[role] = append(chosen[role], i)
		}
	}
	for role, numbers := range chosen {
		switch {
		case !slices.Contains(m.Roles(), role):
			return badRequest("This is not a way to read a column. Nothing was saved.")
		case len(numbers) > 1 && !columns.TakesSeveral(role):
			return badRequest(fmt.Sprintf("Several columns are read as %s: %q and %q. Choose one of them. Nothing was saved.",
				role, m.Schema.Columns[numbers[0]], m.Schema.Columns[numbers[1]]))
		}
	}
	for _, role := range m.Roles() {
		m.Set(role) // no column has the role until the next loop gives it to one
	}
	for role, numbers := range chosen {
		m.Set(role, numbers...)
	}
	work, err := s.Program.Work()
	if err != nil {
		return err
	}
	mode := work.Env.FileMode
	if filepath.Dir(path) == s.files.uploads {
		mode = 0o600
	}
	if err := m.Save(m.DefaultFile(), mode); err != nil {
		return err
	}
	form.List = address
	http.Redirect(w, r, "/columns?"+form.Query(), http.StatusSeeOther)
	return nil
}
