package dev.trainyard.scaler.report;

import dev.trainyard.core.AdmissionTraceId;
import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.core.catalogue.Problem;
import dev.trainyard.runtime.kubernetes.EventRecorder;
import dev.trainyard.scaler.audit.Audit;
import dev.trainyard.scaler.audit.AuditFinding;
import dev.trainyard.scaler.audit.AuditFinding.LeftAlone;
import dev.trainyard.scaler.audit.AuditFinding.NotCompleted;
import dev.trainyard.scaler.calls.CallOutcome;
import dev.trainyard.scaler.cluster.Cluster;
import dev.trainyard.scaler.ledger.BackOff;
import dev.trainyard.scaler.observe.Unreadable;
import dev.trainyard.scaler.plan.GateRemoval;
import dev.trainyard.scaler.plan.Growth;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.scaler.plan.Withdrawal;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/** A reporter of the decisions of a round: one log line for each decision, and an Event on each object concerned. */
public final class RoundReporter {

    private static final Logger log = LoggerFactory.getLogger(RoundReporter.class);

    /** The maximum number of objects that a log line names. */
    private static final int NAMED = 3;

    private final ReportChannels voice;
    private final PhaseLog phases;
    private final Map<String, Pod> pods = new HashMap<>();
    /** The same pods by namespace and name. Empty until a pod is looked up. */
    private final Map<String, Pod> podsByName = new HashMap<>();

    private final Map<String, HasMetadata> nodes = new HashMap<>();
    private final Map<String, HasMetadata> pools = new HashMap<>();
    private final Map<String, HasMetadata> tiers = new HashMap<>();
    /** Lasting problems that were found in this round, so that the log contains each of them only once. */
    private Set<String> standing = new HashSet<>();

    private Set<String> before = new HashSet<>();

    /**
     * The last logged outcome of each pending pod, by pod UID. Contains only pods that fit on a node, or on a provisioning or requested
     * machine.
     */
    private final Map<String, String> fates = new HashMap<>();

    /** UIDs of pods that already have an Event about the machine that they wait for. */
    private final Set<String> served = new HashSet<>();

    public RoundReporter(ReportChannels voice) {
        this.voice = voice;
        this.phases = new PhaseLog(
                (news, text) -> log.atLevel(news ? Level.INFO : Level.DEBUG).log(() -> prefix() + text.get()));
    }

    /** Returns the log of the round's phases. */
    public PhaseLog phases() {
        return phases;
    }

    /** Begins a round; {@code view} holds the objects that will be reported on. */
    public void begin(Cluster.View view) {
        pods.clear();
        podsByName.clear();
        nodes.clear();
        pools.clear();
        tiers.clear();
        view.pods().forEach(pod -> pods.put(String.valueOf(pod.getMetadata().getUid()), pod));
        view.nodes().forEach(node -> nodes.put(node.getMetadata().getName(), node));
        pools.putAll(view.pools());
        tiers.putAll(view.tiers());
        before = standing;
        standing = new HashSet<>();
    }

    public void grew(Growth growth, Plan plan) {
        var within = Durations.format(growth.pool().provisionTimeout());
        var message = growth + "; a machine that is not usable within %s is given up".formatted(within);
        var pool = pools.get(growth.pool().name());
        decided(
                pool,
                "%s %d %d".formatted(growth.pool().name(), growth.from(), growth.to()),
                PhaseLog.requested(growth));
        tell(pool, EventRecorder.Type.NORMAL, "ScaleUp", "Grow", message);
        var names = new ArrayList<String>();
        plan.allOutcomes().forEach((uid, outcome) -> {
            if (outcome instanceof Outcome.Growing growing
                    && growing.pool().equals(growth.pool().name())) {
                served.add(uid);
                name(uid).ifPresent(names::add);
                tell(
                        pods.get(uid),
                        EventRecorder.Type.NORMAL,
                        growth.insteadOf().isEmpty() ? "ScaleUp" : "Fallback",
                        "Grow",
                        message + growing.caveat() + refused(uid));
            }
        });
        voice.notices()
                .tell(
                        "Pool %s is scaling up by %d to new capacity %d, for %s."
                                .formatted(growth.pool().name(), growth.machines(), growth.to(), growth.why()),
                        names);
    }

    public void notGrown(Growth growth, CallOutcome answer) {
        if (answer instanceof CallOutcome.Open open && open.ordinary()) {
            log.debug("{}: {}", growth, open.words());
            return;
        }
        var message = "%s: %s: %s"
                .formatted(
                        growth,
                        answer instanceof CallOutcome.Refused ? "refused" : "not accepted yet",
                        answer.reason());
        log.warn("{}", message);
        tell(pools.get(growth.pool().name()), EventRecorder.Type.WARNING, "ScaleUpFailed", "Grow", message);
    }

    public void withdrew(Withdrawal withdrawal) {
        var pool = pools.get(withdrawal.pool().name());
        decided(pool, "withdraw " + withdrawal.pool().name(), withdrawal.toString());
        tell(pool, EventRecorder.Type.NORMAL, "Withdrawn", "Withdraw", withdrawal.toString());
    }

    public void notWithdrawn(Withdrawal withdrawal, String problem) {
        log.warn("{}: the withdrawal failed: {}", withdrawal, problem);
    }

    public void backsOff(String pool, BackOff backOff) {
        var message = "pool %s backs off until %s after %d failures in a row: %s: %s"
                        .formatted(pool, backOff.until(), backOff.failures(), backOff.kind(), backOff.reason())
                + see(backOff.kind().trap());
        log.warn("{}", message);
        tell(pools.get(pool), EventRecorder.Type.WARNING, "BackOff", "BackOff", message);
        voice.notices().tell("Pool %s backs off: %s: %s".formatted(pool, backOff.kind(), backOff.reason()), List.of());
    }

    /** Logs a decision. A dry run makes the same decisions in each round, and logs each of them only once. */
    private void decided(@Nullable HasMetadata about, String what, String message) {
        if (!voice.dryRun() || isNew(about, "decided " + what)) {
            log.info("{}{}", prefix(), message);
        }
    }

    private String prefix() {
        return voice.dryRun() ? "[dry run] " : "";
    }

    private Optional<String> name(String uid) {
        return Optional.ofNullable(pods.get(uid))
                .map(pod -> pod.getMetadata().getNamespace() + "/"
                        + pod.getMetadata().getName());
    }

    /** Reports that a gang starts, on each of its pods. */
    public void started(GateRemoval removal) {
        removal.gang().ifPresent(gang -> {
            int size = removal.members().size();
            log.info("{}gang {} starts: all {} pods have room on nodes", prefix(), gang, size);
            tellMembers(
                    removal,
                    EventRecorder.Type.NORMAL,
                    "GangStarts",
                    member -> "all %d pods of gang %s have room; this pod's is on node %s"
                            .formatted(size, gang, member.node().orElse("")));
        });
    }

    /** Reports that a gang could not start although there is room, on each of its pods. The log has the failed request. */
    public void notStarted(GateRemoval removal) {
        tellMembers(
                removal,
                EventRecorder.Type.WARNING,
                "GangNotStarted",
                member ->
                        "all %d pods of gang %s have room, but reserving it failed; the scaler tries again, and its log has the failed request"
                                .formatted(
                                        removal.members().size(), removal.gang().orElse("")));
    }

    private void tellMembers(
            GateRemoval removal, EventRecorder.Type type, String reason, Function<GateRemoval.Member, String> message) {
        removal.members()
                .forEach(member ->
                        tell(pods.get(member.pod().uid()), type, reason, "RemoveGate", message.apply(member)));
    }

    /**
     * Reports the outcomes of pending pods. A pod for which this round requested a machine gets only a log line, since {@link #grew} creates
     * its Event.
     */
    public void waiting(Plan plan, Audit audit) {
        served.retainAll(plan.outcomes().keySet());
        fates.keySet().retainAll(plan.outcomes().keySet());
        var stuck = new TreeMap<String, List<String>>();
        plan.outcomes().forEach((uid, outcome) -> {
            var pod = pods.get(uid);
            if (pod == null) {
                return;
            }
            follow(uid, pod, outcome);
            if (outcome instanceof Outcome.Held held && !held.isReady()) {
                tell(pod, EventRecorder.Type.NORMAL, "Held", "Plan", held.notice());
            }
            if (outcome instanceof Outcome.Upcoming upcoming && served.add(uid)) {
                tell(pod, EventRecorder.Type.NORMAL, "Upcoming", "Plan", upcoming.message());
            }
            if (outcome instanceof Outcome.Unplaced unplaced) {
                unplaced(uid, pod, unplaced, audit)
                        .ifPresent(message -> stuck.computeIfAbsent(unplaced.message(), any -> new ArrayList<>())
                                .add(name(uid).orElse(uid)));
            }
        });
        stuck.forEach((message, names) -> voice.notices().tell("Cannot be placed: " + message, names));
    }

    /** Logs one line if the pod's outcome has changed. Pods that cannot be placed are logged by {@link #unplaced}, with more detail. */
    private void follow(String uid, Pod pod, Outcome outcome) {
        if (outcome instanceof Outcome.NotOurs || outcome instanceof Outcome.Unplaced) {
            fates.remove(uid);
        } else if (!outcome.word().equals(fates.put(uid, outcome.word()))) {
            about(log.atInfo(), pod).log("{}pod {}: {}", prefix(), name(uid).orElse(uid), outcome.message());
        }
    }

    /** Adds the keys by which the logs of all components identify the pod. */
    private static LoggingEventBuilder about(LoggingEventBuilder line, Pod pod) {
        var annotations = pod.getMetadata().getAnnotations();
        return line.addKeyValue("uid", String.valueOf(pod.getMetadata().getUid()))
                .addKeyValue(
                        "trace",
                        AdmissionTraceId.of(annotations == null ? null : annotations.get(Names.ADMISSION))
                                .orElse(""));
    }

    /** @return the reported message; empty if a cloud's answer is still missing, or if another report explains the problem better */
    private Optional<String> unplaced(String uid, Pod pod, Outcome.Unplaced unplaced, Audit audit) {
        if (unplaced.reason() == Outcome.Reason.ASKING) {
            keepWhatWasSaid(uid);
            return Optional.empty();
        }
        var finding = audit.of(uid);
        if (finding.isPresent() && explains(finding.get(), unplaced.reason())) {
            return Optional.empty();
        }
        var message = unplaced.message()
                + refused(uid)
                + finding.map(RoundReporter::leftAlone).orElse("")
                + see(unplaced.reason().trap());
        var text = "pod " + name(uid).orElse(uid) + " is pending: " + message;
        if (isNew(pod, text)) {
            about(log.atWarn(), pod).log("{}", text);
        }
        tell(pod, EventRecorder.Type.WARNING, "NotPlaceable", "Plan", message);
        return Optional.of(message);
    }

    /** Treats the pod's earlier messages as still valid, so that they are not logged again after the cloud's answer. */
    private void keepWhatWasSaid(String uid) {
        before.stream().filter(said -> said.startsWith(uid + " ")).forEach(standing::add);
    }

    /**
     * Returns text in brackets that says why the scheduler extender refused the existing nodes; empty if the extender has not reported the
     * pod lately.
     */
    private String refused(String uid) {
        return voice.refusals()
                .apply(uid)
                .map(reasons -> " (the extender refused: %s)".formatted(reasons))
                .orElse("");
    }

    private static String see(Optional<TroubleshootingTopic> trap) {
        return trap.map(TroubleshootingTopic::see).orElse("");
    }

    private static String leftAlone(AuditFinding finding) {
        return finding instanceof LeftAlone left ? "; the webhook does not change this pod: " + left.why() : "";
    }

    /**
     * Whether a pod stays pending because the webhook did not complete it. A separate report says so. Without the tolerations that the
     * webhook adds, the pod fits no pool. A list of all pools would mislead the pod's author.
     */
    private static boolean explains(AuditFinding finding, Outcome.Reason reason) {
        return finding instanceof NotCompleted
                && (reason == Outcome.Reason.FITS_NO_POOL || reason == Outcome.Reason.NO_SUCH_TIER);
    }

    /** Reports a changed number of pods that were admitted without the webhook. */
    public void notCompleted(Collection<NotCompleted> missed, int before) {
        var some = missed.stream().map(NotCompleted::pod).sorted().limit(NAMED).toList();
        if (missed.isEmpty()) {
            log.info("all pods that were admitted without the webhook are gone (previously {} pods)", before);
        } else {
            log.warn(
                    "{} pods were admitted without the webhook (previously {}): {}{}{}",
                    missed.size(),
                    before,
                    String.join(", ", some),
                    missed.size() > NAMED ? ", ..." : "",
                    TroubleshootingTopic.WEBHOOK_MISSED_A_POD.see());
        }
    }

    public void notCompleted(String uid, NotCompleted missed) {
        tell(
                pods.get(uid),
                EventRecorder.Type.WARNING,
                "NotCompleted",
                "Audit",
                missed.message() + TroubleshootingTopic.WEBHOOK_MISSED_A_POD.see());
    }

    public boolean hasNode(String uid) {
        var pod = pods.get(uid);
        return pod != null && pod.getSpec() != null && pod.getSpec().getNodeName() != null;
    }

    public void node(String node, EventRecorder.Type type, String reason, String message) {
        decided(nodes.get(node), node + " " + reason, "node %s: %s".formatted(node, message));
        tell(nodes.get(node), type, reason, "Remove", message + see(trap(reason)));
        if (reason.equals("Draining")) {
            voice.notices().tell("Node %s is being drained.".formatted(node), List.of());
        }
    }

    private static Optional<TroubleshootingTopic> trap(String reason) {
        return switch (reason) {
            case "NotRemoved" -> Optional.of(TroubleshootingTopic.MACHINE_STAYS);
            case "Draining" -> Optional.of(TroubleshootingTopic.TRAINING_WAS_MOVED);
            default -> Optional.empty();
        };
    }

    public void refused(String what, KubernetesClientException problem) {
        log.warn("{} failed: {}; the next round tries again", what, String.valueOf(problem.getMessage()));
    }

    /**
     * Logs a failure that a bug in the scaler caused. The stack trace helps to find the bug, and is logged only once while the failure
     * lasts.
     */
    public void failed(String what, RuntimeException problem) {
        log.atError()
                .setCause(isNew(null, what + " " + problem) ? problem : null)
                .log("{} failed because of a bug in the scaler; the next round tries again: {}", what, problem);
    }

    public void machine(String pool, String message) {
        decided(pools.get(pool), pool + " " + message, "pool %s: %s".formatted(pool, message));
        tell(pools.get(pool), EventRecorder.Type.WARNING, "MachineLost", "Terminate", message);
        voice.notices().tell("Pool %s: %s".formatted(pool, message), List.of());
    }

    /** Reports that machines of a pool break again and again. */
    public void breaks(String pool, String message) {
        log.warn("pool {}: {}", pool, message);
        tell(pools.get(pool), EventRecorder.Type.WARNING, "MachinesBreak", "Observe", message);
        voice.notices().tell("Pool %s: %s".formatted(pool, message), List.of());
    }

    public void notTerminated(String pool, String message) {
        log.warn("pool {}: {}", pool, message);
        tell(pools.get(pool), EventRecorder.Type.WARNING, "TerminateFailed", "Terminate", message);
    }

    public void problem(Problem problem) {
        var about = (problem.kind().equals("TrainingPool") ? pools : tiers).get(problem.name());
        once(about, "configuration: " + problem + TroubleshootingTopic.INVALID_OBJECT.see());
        tell(about, EventRecorder.Type.WARNING, "Invalid", "Read", problem.message());
    }

    public void unreadable(Unreadable object) {
        var pod = pod(object);
        once(
                object.kind().equals("Node") ? nodes.get(object.name()) : pod,
                "%s %s%s is ignored: %s"
                        .formatted(
                                object.kind(),
                                object.namespace().isEmpty() ? "" : object.namespace() + "/",
                                object.name(),
                                object.message()));
        tell(pod, EventRecorder.Type.WARNING, "NotPlaceable", "Read", object.message());
    }

    /** Reports a pod whose annotations about its deadline are invalid. */
    public void invalidDeadline(Unreadable object) {
        var pod = pod(object);
        once(pod, "pod %s/%s: %s".formatted(object.namespace(), object.name(), object.message()));
        tell(pod, EventRecorder.Type.WARNING, "InvalidDeadline", "Read", object.message());
    }

    private @Nullable Pod pod(Unreadable object) {
        if (!object.kind().equals("Pod")) {
            return null;
        }
        if (podsByName.isEmpty()) {
            pods.values()
                    .forEach(pod -> podsByName.put(
                            name(
                                    pod.getMetadata().getNamespace(),
                                    pod.getMetadata().getName()),
                            pod));
        }
        return podsByName.get(name(object.namespace(), object.name()));
    }

    private static String name(@Nullable String namespace, @Nullable String name) {
        return namespace + "/" + name;
    }

    /** Logs a lasting problem once, at its beginning. */
    private void once(@Nullable HasMetadata about, String message) {
        if (isNew(about, message)) {
            log.warn("{}", message);
        }
    }

    /** Whether the message is new. An object that was created again under the same name counts as new. */
    private boolean isNew(@Nullable HasMetadata about, String what) {
        var key = (about == null ? "" : about.getMetadata().getUid()) + " " + what;
        return standing.add(key) && !before.contains(key);
    }

    private void tell(
            @Nullable HasMetadata about, EventRecorder.Type type, String reason, String action, String message) {
        if (about != null) {
            voice.eventReporter().tell(about, type, reason, action, message);
        }
    }
}
