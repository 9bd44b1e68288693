package jobs

import (
	_ "embed"
	"fmt"
	"strings"
)

// Cluster says what Kubernetes runs.
type Cluster struct {
	Image string
	Jobs  string // the text of the jobs file
}

// kubernetesName is the name of the file of Kubernetes.
const kubernetesName = "batch-jobs.yaml"

//go:embed kubernetes.yaml
var kubernetes string

// kubernetesManifest returns one process that serves all jobs, with its jobs file and a volume for lists, outputs and
// the journal. Only one process may own the journal, so there is one replica, which ends before the next one starts.
func kubernetesManifest(c Cluster) unitFile {
	text := strings.NewReplacer(
		"IMAGE", fmt.Sprintf("%q", c.Image),
		"STOP_SECONDS", fmt.Sprint(stopSeconds),
		"    JOBS\n", indented(c.Jobs),
	).Replace(kubernetes)
	return sealed(kubernetesName, text)
}

// indented returns the lines of a text as those of a block in YAML.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		if strings.TrimSpace(line) != "" {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return b.String()
}
