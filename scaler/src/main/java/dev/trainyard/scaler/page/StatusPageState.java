package dev.trainyard.scaler.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.scaler.lifecycle.Verdict;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.offline.ClusterStatus;
import dev.trainyard.scaler.offline.Survey;
import dev.trainyard.scaler.page.StatusDocument.Scaler;
import dev.trainyard.scaler.plan.Plan;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The contents of the status page. Rounds of the scaler write the contents, and HTTP requests read them. Thread-safe. */
public final class StatusPageState {

    private static final Logger log = LoggerFactory.getLogger("dev.trainyard.scaler.page");
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * The shortest time for which the values of a round count as current, so that a round that is a little late leaves no gap in the
     * history.
     */
    private static final Duration LEAST_HOLD = Duration.ofMinutes(2);

    private static final int ROUNDS_MISSED = 3;

    private final String identity;
    private final boolean dryRun;
    private final Supplier<Optional<String>> problem;
    private final Clock clock;
    private final String startedAt;

    // The lock of this object guards the fields below. The objects in these fields are immutable.
    private @Nullable ClusterStatus standing;
    private RoundHistory history;
    private Decisions decisions = Decisions.NONE;
    private int failedRounds;
    private @Nullable String failure;
    private @Nullable String leader;
    private @Nullable String notShown;

    /**
     * @param identity the identity of this replica
     * @param dryRun whether this is a dry run
     * @param problem returns why there are no rounds, or empty if there are rounds; called for each request
     * @param scanInterval the longest time between rounds. Values become unknown after three intervals without a round, but not before two
     *     minutes
     */
    public StatusPageState(
            String identity, boolean dryRun, Supplier<Optional<String>> problem, Duration scanInterval, Clock clock) {
        this.identity = identity;
        this.dryRun = dryRun;
        this.problem = problem;
        this.clock = clock;
        this.startedAt = clock.instant().toString();
        var hold = scanInterval.multipliedBy(ROUNDS_MISSED);
        this.history = RoundHistory.none(hold.compareTo(LEAST_HOLD) > 0 ? hold : LEAST_HOLD);
    }

    /** Records a successful round. An error while recording is logged but not thrown, since the page must never stop the rounds. */
    public void observed(Snapshot snapshot, Plan plan, List<Verdict> verdicts) {
        endedWell();
        try {
            show(Survey.of(snapshot, plan, verdicts));
        } catch (RuntimeException e) {
            cannotShow(e);
        }
    }

    private synchronized void cannotShow(RuntimeException problem) {
        if (notShown == null) {
            log.error("the status page cannot show the result of a round; rounds continue", problem);
        }
        notShown = problem.toString();
    }

    /** Records the state after a round. */
    synchronized void show(ClusterStatus now) {
        standing = now;
        history = history.with(clock.instant(), now);
        notShown = null;
        endedWell();
    }

    private synchronized void endedWell() {
        failedRounds = 0;
        failure = null;
    }

    /** Records a failed round. */
    public synchronized void failed(String why) {
        failedRounds++;
        failure = why;
    }

    /**
     * Records which scaler leads.
     *
     * @param identity the identity of the leader, which may be this scaler
     */
    public synchronized void leads(String identity) {
        leader = identity;
    }

    /**
     * Records a report about an object.
     *
     * @param reason the reason as one word
     */
    public synchronized void told(String kind, String name, boolean warning, String reason, String message) {
        try {
            decisions = decisions.with(clock.instant(), kind, name, warning, reason, message);
        } catch (RuntimeException e) {
            cannotShow(e);
        }
    }

    synchronized StatusDocument status() {
        var now = clock.instant();
        return StatusDocument.of(now, scaler(), Optional.ofNullable(standing), history.until(now), decisions);
    }

    byte[] statusJson() throws JsonProcessingException {
        return JSON.writeValueAsBytes(status());
    }

    /** @param state the state of the machines to list; empty for all */
    byte[] machinesJson(String pool, String state) throws JsonProcessingException {
        ClusterStatus now;
        synchronized (this) {
            now = standing;
        }
        return JSON.writeValueAsBytes(
                now == null ? new MachinesDocument(pool, 0, List.of()) : MachinesDocument.of(now, pool, state));
    }

    private Scaler scaler() {
        var role = dryRun ? "only-looks" : identity.equals(leader) ? "leads" : "stands-by";
        return new Scaler(
                identity, role, leader, startedAt, failedRounds, problem.get().orElse(failure), notShown);
    }
}
