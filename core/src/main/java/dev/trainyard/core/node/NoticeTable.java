package dev.trainyard.core.node;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingClusterSpec.NoticeMeaning;
import dev.trainyard.core.api.TrainingClusterSpec.SignStatus;
import dev.trainyard.core.node.NodeNotice.Kind;
import dev.trainyard.core.node.NoticeEntry.Sign;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Taint;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The table of signs by which tools and clouds announce that a machine will be gone, or that it is broken. {@link #read} finds the notice on
 * a node.
 *
 * @param taints entries by the key of the taint
 * @param conditions entries by the type of the condition
 * @param annotations entries by the key of the annotation
 * @param labels entries by the key of the label
 */
public record NoticeTable(
        Map<String, List<NoticeEntry>> taints,
        Map<String, List<NoticeEntry>> conditions,
        Map<String, List<NoticeEntry>> annotations,
        Map<String, List<NoticeEntry>> labels) {

    /** The notice of AWS before it interrupts a spot instance. */
    private static final Duration AWS = Duration.ofMinutes(2);

    /** The notice of Azure and of Google Cloud before they reclaim a spot machine. */
    private static final Duration AZURE_AND_GOOGLE = Duration.ofSeconds(30);

    /** The sign of a machine that its cloud terminates once it is released. */
    private static final String HELD = "lifecycle hook";

    private static final String LOST_GPUS = "lost GPUs";

    private static final String NO_SIGN = "no sign that the machine is broken";

    /** How long a sign must last until a machine counts as sick. Agents may withdraw a sign soon after they have set it. */
    private static final Duration SICK = Duration.ofMinutes(2);

    private static final String NTH = "aws-node-termination-handler/";

    private static final Map<String, String> SPOT_OF_AKS = Map.of("kubernetes.azure.com/scalesetpriority", "spot");

    /** The events of Azure after which a machine is gone. After a freeze, a reboot or a redeployment it comes back. */
    private static final List<String> LAST_EVENTS = List.of("Preempt", "Terminate");

    private static final List<NoticeEntry> BUILT_IN_ENTRIES = List.of(
            // https://github.com/aws/aws-node-termination-handler, pkg/node/node.go
            entry(Sign.TAINT, NTH + "spot-itn", NoticeMeaning.RECLAIM, AWS),
            entry(Sign.TAINT, NTH + "scheduled-maintenance", NoticeMeaning.RECLAIM, AWS),
            entry(Sign.TAINT, NTH + "asg-lifecycle-termination", NoticeMeaning.RECLAIM, AWS),
            entry(Sign.TAINT, NTH + "rebalance-recommendation", NoticeMeaning.CHECKPOINT, AWS),
            // Trainyard's own reader of AWS's queue. Its notice of maintenance means nothing, since the instance stays.
            end(Names.AWS_SPOT_INTERRUPTION),
            end(Names.AWS_SCHEDULED_END),
            // Their ends are not known: a hook may delay them for an hour.
            entry(Sign.ANNOTATION, Names.AWS_INSTANCE_STATE, NoticeMeaning.RECLAIM, AWS),
            entry(Sign.ANNOTATION, Names.AWS_LIFECYCLE_ACTION, NoticeMeaning.RECLAIM, AWS),
            entry(Sign.ANNOTATION, Names.AWS_REBALANCE_RECOMMENDATION, NoticeMeaning.CHECKPOINT, AWS),
            // AKS node auto-drain. AKS also sets the taint on other nodes, to repair them.
            new NoticeEntry(
                    Sign.TAINT,
                    "remediator.kubernetes.azure.com/unschedulable",
                    NoticeMeaning.RECLAIM,
                    AZURE_AND_GOOGLE,
                    List.of(),
                    SPOT_OF_AKS),
            // The node problem detector of AKS
            new NoticeEntry(
                    Sign.CONDITION, "VMEventScheduled", NoticeMeaning.RECLAIM, AZURE_AND_GOOGLE, LAST_EVENTS, Map.of()),
            new NoticeEntry(
                    Sign.CONDITION,
                    "PreemptionScheduled",
                    NoticeMeaning.RECLAIM,
                    AZURE_AND_GOOGLE,
                    LAST_EVENTS,
                    Map.of()),
            new NoticeEntry(
                    Sign.CONDITION,
                    "PreemptionScheduled",
                    NoticeMeaning.CHECKPOINT,
                    AZURE_AND_GOOGLE,
                    List.of("SpotRebalanceRecommendation"),
                    Map.of()),
            entry(Sign.CONDITION, "PreemptScheduled", NoticeMeaning.RECLAIM, AZURE_AND_GOOGLE),
            entry(Sign.CONDITION, "TerminateScheduled", NoticeMeaning.RECLAIM, AZURE_AND_GOOGLE),
            // https://github.com/maksim-paskal/aks-node-termination-handler
            entry(Sign.TAINT, "aks-node-termination-handler/preempt", NoticeMeaning.RECLAIM, AZURE_AND_GOOGLE),
            entry(Sign.TAINT, "aks-node-termination-handler/terminate", NoticeMeaning.RECLAIM, AZURE_AND_GOOGLE),
            // GKE's maintenance handler
            entry(Sign.TAINT, "cloud.google.com/impending-node-termination", NoticeMeaning.RECLAIM, AZURE_AND_GOOGLE),
            // https://github.com/aws/eks-node-monitoring-agent, pkg/conditions. Its other conditions are not about
            // hardware.
            new NoticeEntry(
                    Sign.CONDITION,
                    "AcceleratedHardwareReady",
                    SignStatus.FALSE,
                    NoticeMeaning.SICK,
                    SICK,
                    List.of(),
                    Map.of()),
            // The node problem detector of AKS: https://learn.microsoft.com/azure/aks/gpu-health-monitoring
            entry(Sign.CONDITION, "GPUMissing", NoticeMeaning.SICK, SICK),
            entry(Sign.CONDITION, "NVLinkStatusInactive", NoticeMeaning.SICK, SICK),
            entry(Sign.CONDITION, "XIDErrors", NoticeMeaning.SICK, SICK),
            entry(Sign.CONDITION, "IBLinkFlapping", NoticeMeaning.SICK, SICK),
            // https://github.com/kubernetes/node-problem-detector, config/kernel-monitor.json
            entry(Sign.CONDITION, "CperHardwareErrorFatal", NoticeMeaning.SICK, SICK),
            // NVSentinel's fault quarantine: https://docs.nvidia.com/nvsentinel. The label is absent while the node is
            // healthy.
            entry(Sign.LABEL, "dgxc.nvidia.com/nvsentinel-state", NoticeMeaning.SICK, SICK));

    /** The table without entries of the user. */
    public static final NoticeTable BUILT_IN = with(List.of());

    /** Times as Azure's scheduled events have them, and times in ISO 8601. */
    private static final Pattern TIME = Pattern.compile(
            "(?<rfc>[A-Z][a-z]{2}, [0-9]{1,2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}) (?:GMT|UTC)"
                    + "|(?<iso>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.][0-9]{1,9})?Z)");

    private static final String SEPARATOR = ", ";

    /** Longer texts are not searched for a time. */
    private static final int LONGEST_TEXT = 4096;

    /** Returns the value of {@link Names#NOTICED_SINCE} for a node with this notice; empty if all signs state when they appeared. */
    public static Optional<String> noticedSince(NodeNotice notice) {
        return Optional.of(new TreeMap<>(notice.firstSeen())
                        .entrySet().stream()
                                .map(entry -> entry.getKey() + " " + entry.getValue())
                                .collect(joining(SEPARATOR)))
                .filter(value -> !value.isEmpty());
    }

    /** Whether a value of {@link Names#NOTICED_SINCE} states that the node has lost GPUs. */
    public static boolean notesLostGpus(String noticedSince) {
        return notes(noticedSince, LOST_GPUS);
    }

    /** Whether a value of {@link Names#NOTICED_SINCE} states that the machine waits to be released, so that its cloud can terminate it. */
    public static boolean notesHeld(String noticedSince) {
        return notes(noticedSince, HELD);
    }

    private static boolean notes(String noticedSince, String sign) {
        return times(noticedSince, sign).findFirst().isPresent();
    }

    /** Returns the times of a sign in a value of {@link Names#NOTICED_SINCE}, as text. */
    private static Stream<String> times(String noticedSince, String sign) {
        var beginning = sign + " ";
        return Stream.of(noticedSince.split(SEPARATOR))
                .filter(entry -> entry.startsWith(beginning))
                .map(entry -> entry.substring(beginning.length()));
    }

    /** Returns the built-in table with entries of the user. An entry of the user replaces the built-in entries for the same sign. */
    public static NoticeTable with(List<NoticeEntry> own) {
        var entries = new ArrayList<>(own);
        BUILT_IN_ENTRIES.stream()
                .filter(entry -> own.stream()
                        .noneMatch(other ->
                                other.sign() == entry.sign() && other.key().equals(entry.key())))
                .forEach(entries::add);
        return new NoticeTable(
                of(entries, Sign.TAINT),
                of(entries, Sign.CONDITION),
                of(entries, Sign.ANNOTATION),
                of(entries, Sign.LABEL));
    }

    private static NoticeEntry end(String annotation) {
        return new NoticeEntry(
                Sign.ANNOTATION, annotation, NoticeMeaning.RECLAIM, AWS, List.of(MachineNotice.ENDS_AT), Map.of());
    }

    private static NoticeEntry entry(Sign sign, String key, NoticeMeaning meaning, Duration lead) {
        return new NoticeEntry(sign, key, meaning, lead, List.of(), Map.of());
    }

    private static Map<String, List<NoticeEntry>> of(List<NoticeEntry> entries, Sign sign) {
        return Map.copyOf(entries.stream().filter(entry -> entry.sign() == sign).collect(groupingBy(NoticeEntry::key)));
    }

    /**
     * Finds the most urgent notice on a node. Never fails.
     *
     * @param now counts as the time at which a sign appeared if neither the sign nor {@link Names#NOTICED_SINCE} states the time
     */
    public Optional<NodeNotice> read(Node node, Instant now) {
        return read(node, false, Optional.empty(), false, now);
    }

    /**
     * Finds the most urgent notice on a node, with facts about its machine that this table has no entries for. Never fails.
     *
     * @param held whether the cloud terminates the machine once the machine is released. That is a reclaim of its own, whatever the node
     *     says. Its deadline is assumed, and it is no reason to put the node back into service if the deadline has passed
     * @param lostGpus if the node has lost GPUs, how long that must last until the machine counts as sick
     * @param replaced whether the scaler is replacing the machine because it was broken. The machine counts as intact only after the time
     *     for which a sign must last, since signs may come and go
     * @param now as for {@link #read(Node, Instant)}
     */
    public Optional<NodeNotice> read(
            Node node, boolean held, Optional<Duration> lostGpus, boolean replaced, Instant now) {
        var reading = new Reading(node, now);
        if (held) {
            reading.addHeld();
        }
        lostGpus.ifPresent(reading::addLostGpus);
        reading.readNode();
        if (replaced) {
            reading.addRecovery();
        }
        return reading.mostUrgent();
    }

    private final class Reading {
        private final Instant now;
        private final Map<String, String> labels;
        private final Map<String, String> annotated;
        private final Node node;
        private final List<NodeNotice> found = new ArrayList<>();
        private final Map<String, Instant> firstSeen = new HashMap<>();

        Reading(Node node, Instant now) {
            this.node = node;
            this.now = now;
            this.labels = orEmpty(node.getMetadata().getLabels());
            this.annotated = orEmpty(node.getMetadata().getAnnotations());
        }

        void readNode() {
            if (node.getSpec() != null) {
                for (var taint : orEmpty(node.getSpec().getTaints())) {
                    find(
                            taints.getOrDefault(String.valueOf(taint.getKey()), List.of()),
                            value(taint),
                            taint.getTimeAdded());
                }
            }
            if (node.getStatus() != null) {
                for (var condition : orEmpty(node.getStatus().getConditions())) {
                    var entries = conditions.getOrDefault(String.valueOf(condition.getType()), List.of());
                    if (!entries.isEmpty()) {
                        find(
                                entries.stream()
                                        .filter(entry ->
                                                entry.status().toString().equals(condition.getStatus()))
                                        .toList(),
                                condition.getMessage(),
                                condition.getLastTransitionTime());
                    }
                }
            }
            if (!annotations.isEmpty()) {
                annotated.forEach((key, value) -> {
                    if (!MachineNotice.isWithdrawn(value)) {
                        find(annotations.getOrDefault(key, List.of()), value, null);
                    }
                });
            }
            NoticeTable.this.labels.forEach((key, entries) -> {
                var value = labels.get(key);
                if (value != null) {
                    find(entries, value, null);
                }
            });
        }

        Optional<NodeNotice> mostUrgent() {
            return found.stream().min(NodeNotice.BY_URGENCY).map(notice -> notice.with(firstSeen));
        }

        /** Adds a notice that the machine recovers, unless it has a sign that it is broken. */
        void addRecovery() {
            if (found.stream().noneMatch(notice -> notice.isSick() || notice.kind() == Kind.SUSPECT)) {
                var since = firstSeenUntilNow(NO_SIGN);
                if (now.isBefore(since.plus(SICK))) {
                    found.add(new NodeNotice(Kind.RECOVERING, NO_SIGN, since, since.plus(SICK), false, Map.of()));
                }
            }
        }

        void addHeld() {
            var since = firstSeen(HELD);
            found.add(new NodeNotice(Kind.RECLAIM, HELD, since, since.plus(AWS), false, Map.of()));
        }

        void addLostGpus(Duration lead) {
            found.add(sick(LOST_GPUS, firstSeenUntilNow(LOST_GPUS), lead));
        }

        private void find(List<NoticeEntry> entries, @Nullable String value, @Nullable String time) {
            var text = value == null ? "" : value;
            entries.stream()
                    .filter(entry -> entry.applies(text, labels))
                    .findFirst()
                    .filter(entry -> entry.meaning() != NoticeMeaning.NOTHING)
                    .ifPresent(entry -> found.add(notice(entry, text, time)));
        }

        private NodeNotice notice(NoticeEntry entry, String text, @Nullable String time) {
            var sign = "%s %s%s"
                    .formatted(
                            entry.sign(), entry.key(), entry.status() == SignStatus.TRUE ? "" : " " + entry.status());
            var since = instant(time).or(() -> MachineNotice.announcedIn(text)).orElseGet(() -> firstSeen(sign));
            if (entry.meaning() == NoticeMeaning.SICK) {
                return sick(sign, since, entry.lead());
            }
            if (entry.meaning() == NoticeMeaning.CHECKPOINT) {
                return new NodeNotice(Kind.CHECKPOINT, sign, since, since, false, Map.of());
            }
            var stated = statedIn(MachineNotice.beforeAnnouncement(text));
            var deadline = stated.orElseGet(() -> since.plus(entry.lead()));
            return new NodeNotice(kind(deadline), sign, since, deadline, stated.isPresent(), Map.of());
        }

        private NodeNotice sick(String sign, Instant since, Duration lead) {
            var sickFrom = since.plus(lead);
            return new NodeNotice(
                    now.isBefore(sickFrom) ? Kind.SUSPECT : Kind.SICK, sign, since, sickFrom, false, Map.of());
        }

        private Kind kind(Instant deadline) {
            if (now.isBefore(deadline.minus(NodeNotice.NEAR))) {
                return Kind.LATER_RECLAIM;
            }
            return now.isBefore(deadline.plus(NodeNotice.OVERDUE)) ? Kind.RECLAIM : Kind.OUTLIVED;
        }

        private Instant firstSeen(String sign) {
            return firstSeen.computeIfAbsent(sign, this::recorded);
        }

        /** As {@link #firstSeen}, but a time in the future, from before the clock was set back, counts as now. */
        private Instant firstSeenUntilNow(String sign) {
            return firstSeen.computeIfAbsent(sign, any -> {
                var at = recorded(sign);
                return at.isAfter(now) ? now : at;
            });
        }

        /** Returns the recorded time at which the scaler first saw a sign. A tool may replace one sign by another, so each sign has its own time. */
        private Instant recorded(String sign) {
            return times(annotated.getOrDefault(Names.NOTICED_SINCE, ""), sign)
                    .flatMap(time -> instant(time).stream())
                    .findFirst()
                    .orElse(now);
        }
    }

    private static String value(Taint taint) {
        return taint.getValue() == null ? "" : taint.getValue();
    }

    private static Optional<Instant> statedIn(String text) {
        if (text.length() > LONGEST_TEXT) {
            return Optional.empty();
        }
        var time = TIME.matcher(text);
        if (!time.find()) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    time.group("iso") != null
                            ? Instant.parse(time.group("iso"))
                            : Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(time.group("rfc") + " GMT")));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** Parses a time of Kubernetes; empty if the text is missing, unreadable, or not of the years from 0 to 9999. */
    private static Optional<Instant> instant(@Nullable String text) {
        try {
            return Optional.ofNullable(text)
                    .filter(time -> !time.startsWith("+") && !time.startsWith("-"))
                    .map(Instant::parse);
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private static <T> List<T> orEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }

    private static Map<String, String> orEmpty(@Nullable Map<String, String> map) {
        return map == null ? Map.of() : map;
    }
}
