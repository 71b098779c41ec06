package dev.trainyard.cli.check;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.Names;
import dev.trainyard.core.TroubleshootingTopic;
import java.util.ArrayList;
import java.util.List;

/** A check that the configuration of kube-scheduler names the extender as the manifests do. */
final class SchedulerFileCheck implements Check {

    private static final String ABOUT = "scheduler's configuration";
    private static final String FILE = "base/extender/scheduler-config.yaml";
    private static final String TODO = "put back what manifests/" + FILE + " has, and restart the scheduler";

    /** The filter verb with which the extender returns all nodes that a pod can use, instead of only the best node. */
    private static final String ALL_NODES = "filter";

    private static final YAMLMapper YAML = new YAMLMapper();

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        return seen.scheduling()
                .file()
                .findings(ABOUT, found -> found.map(SchedulerFileCheck::look).orElse(List.of()));
    }

    private static List<Finding> look(ClusterSnapshot.SchedulerFile file) {
        JsonNode present;
        try {
            present = YAML.readTree(file.yaml());
        } catch (JsonProcessingException e) {
            return List.of(problem(
                    file, "the configuration is not valid YAML", "data[scheduler-config.yaml]", "other text", "YAML"));
        }
        var expected = BundledManifests.objects(FILE).get(0);
        var findings = new ArrayList<Finding>();
        boolean ours = false;
        for (var profile : present.path("profiles")) {
            ours |= profile.path("schedulerName").asText().equals(Names.SCHEDULER);
        }
        if (!ours) {
            findings.add(problem(
                    file,
                    "the configuration has no profile for pods of " + Names.SCHEDULER,
                    "profiles[].schedulerName",
                    present.at("/profiles/0/schedulerName").asText(),
                    Names.SCHEDULER));
        }
        var wanted = expected.at("/extenders/0");
        var place = place(present.path("extenders"), wanted);
        var extender = present.path("extenders").path(place);
        if (extender.isMissingNode()) {
            findings.add(
                    problem(file, "the configuration does not name the extender", "extenders", "", "the extender"));
            return findings;
        }
        boolean several = present.path("extenders").size() > 1;
        ObjectDifferences.of("extenders[%d]".formatted(place), extender, wanted).stream()
                .filter(difference -> !isForAdministrators(difference.field()))
                .filter(difference -> !(several && leavesAllNodes(difference)))
                .map(difference -> Finding.of(
                                isVital(difference) ? Finding.Level.ERROR : Finding.Level.WARNING,
                                ABOUT,
                                isVital(difference)
                                        ? "the scheduler does not ask the extender about nodes"
                                        : "the entry of the extender differs from the manifests")
                        .on(file.object())
                        .field(difference.field(), difference.value(), difference.expected())
                        .todo(TODO)
                        .see(TroubleshootingTopic.EXTENDER_NOT_ASKED))
                .forEach(findings::add);
        return findings.isEmpty()
                ? List.of(Finding.ok(ABOUT, "%s names the extender".formatted(file.object())))
                : findings;
    }

    /** Returns the index of Trainyard's extender among all extenders; 0 if none has its URL. */
    private static int place(JsonNode extenders, JsonNode wanted) {
        for (int i = 0; i < extenders.size(); i++) {
            if (extenders.get(i).path("urlPrefix").equals(wanted.path("urlPrefix"))) {
                return i;
            }
        }
        return 0;
    }

    /** Whether administrators choose the value: docs/troubleshooting.md advises to raise the timeout if the extender is too slow. */
    private static boolean isForAdministrators(String field) {
        return field.endsWith(".httpTimeout");
    }

    /**
     * Whether the extender is asked for all nodes that a pod can use. This needs two calls for a pod, but also works if there are several
     * extenders.
     */
    private static boolean leavesAllNodes(ObjectDifferences.Difference difference) {
        return isFilterVerb(difference) && difference.value().equals(ALL_NODES);
    }

    /**
     * Whether a difference in the field makes the extender useless. A wrong filter verb does: the extender answers with an error, and the
     * scheduler ignores errors.
     */
    private static boolean isVital(ObjectDifferences.Difference difference) {
        return isFilterVerb(difference) && !leavesAllNodes(difference);
    }

    private static boolean isFilterVerb(ObjectDifferences.Difference difference) {
        return difference.field().endsWith(".filterVerb");
    }

    private static Finding problem(
            ClusterSnapshot.SchedulerFile file, String what, String field, String value, String expected) {
        return Finding.error(ABOUT, what)
                .on(file.object())
                .field(field, value, expected)
                .todo(TODO)
                .see(TroubleshootingTopic.EXTENDER_NOT_ASKED);
    }
}
