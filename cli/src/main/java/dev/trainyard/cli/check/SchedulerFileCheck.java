package dev.trainyard.cli.check;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.Names;
import dev.trainyard.core.TroubleshootingTopic;
import java.util.ArrayList;
import java.util.List;

/** A check that the configuration of kube-scheduler names the extender if the extender is installed, and only then. */
final class SchedulerFileCheck implements Check {

    private static final String ABOUT = "scheduler's configuration";
    private static final String FILE = "base/extender/scheduler-config.yaml";
    private static final String FILE_WITHOUT_EXTENDER = "components/scheduler-profile-plugins/scheduler-config.yaml";

    /** The filter verb with which the extender returns all nodes that a pod can use, instead of only the best node. */
    private static final String ALL_NODES = "filter";

    private static final YAMLMapper YAML = new YAMLMapper();

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        return seen.scheduling()
                .file()
                .findings(
                        ABOUT,
                        found -> found.map(file -> look(file, seen.usesExtender()))
                                .orElse(List.of()));
    }

    /** Returns the file under {@code manifests} with the scheduler's configuration. */
    static String shipped(boolean usesExtender) {
        return usesExtender ? FILE : FILE_WITHOUT_EXTENDER;
    }

    private static List<Finding> look(ClusterSnapshot.SchedulerFile file, boolean usesExtender) {
        var problems = problems(file, usesExtender);
        var todo = "put back what manifests/%s has, and restart the scheduler".formatted(shipped(usesExtender));
        return problems.isEmpty()
                ? List.of(Finding.ok(
                        ABOUT, "%s %s the extender".formatted(file.object(), usesExtender ? "names" : "does not name")))
                : problems.stream().map(problem -> problem.todo(todo)).toList();
    }

    private static List<Finding> problems(ClusterSnapshot.SchedulerFile file, boolean usesExtender) {
        JsonNode present;
        try {
            present = YAML.readTree(file.yaml());
        } catch (JsonProcessingException e) {
            return List.of(problem(
                    file, "the configuration is not valid YAML", "data[scheduler-config.yaml]", "other text", "YAML"));
        }
        var problems = new ArrayList<Finding>();
        boolean ours = false;
        for (var profile : present.path("profiles")) {
            ours |= profile.path("schedulerName").asText().equals(Names.SCHEDULER);
        }
        if (!ours) {
            problems.add(problem(
                    file,
                    "the configuration has no profile for pods of " + Names.SCHEDULER,
                    "profiles[].schedulerName",
                    present.at("/profiles/0/schedulerName").asText(),
                    Names.SCHEDULER));
        }
        var entry = BundledManifests.objects(FILE).get(0).at("/extenders/0");
        var extenders = present.path("extenders");
        problems.addAll(usesExtender ? differences(file, extenders, entry) : superfluous(file, extenders, entry));
        return problems;
    }

    /** Returns the differences between the extender's entry and {@code wanted}. */
    private static List<Finding> differences(ClusterSnapshot.SchedulerFile file, JsonNode extenders, JsonNode wanted) {
        var place = place(extenders, wanted);
        var extender = extenders.path(place);
        if (extender.isMissingNode()) {
            return List.of(
                    problem(file, "the configuration does not name the extender", "extenders", "", "the extender"));
        }
        boolean several = extenders.size() > 1;
        return ObjectDifferences.of("extenders[%d]".formatted(place), extender, wanted).stream()
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
                        .see(TroubleshootingTopic.EXTENDER_NOT_ASKED))
                .toList();
    }

    /** Returns an error if there is an entry of the extender although no extender is installed: each call would fail. */
    private static List<Finding> superfluous(ClusterSnapshot.SchedulerFile file, JsonNode extenders, JsonNode entry) {
        var address = entry.path("urlPrefix").asText();
        return extenders.findValuesAsText("urlPrefix").contains(address)
                ? List.of(problem(
                        file,
                        "the configuration names the extender, which is not installed",
                        "extenders[].urlPrefix",
                        address,
                        ""))
                : List.of();
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
                .see(TroubleshootingTopic.EXTENDER_NOT_ASKED);
    }
}
