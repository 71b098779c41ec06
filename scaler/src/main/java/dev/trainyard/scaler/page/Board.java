package dev.trainyard.scaler.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.scaler.lifecycle.Verdict;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.offline.Standing;
import dev.trainyard.scaler.offline.Survey;
import dev.trainyard.scaler.page.StatusDocument.Scaler;
import dev.trainyard.scaler.plan.Plan;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What there is to show: written by rounds, read by whoever looks. Thread-safe. */
public final class Board {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final String identity;
    private final boolean dryRun;
    private final Supplier<Optional<String>> problem;
    private final Clock clock;
    private final String startedAt;

    // Guarded by this; each is immutable.
    private @Nullable Standing standing;
    private History history = History.NONE;
    private Decisions decisions = Decisions.NONE;
    private int failedRounds;
    private @Nullable String failure;
    private @Nullable String leader;

    /**
     * @param identity which replica this is
     * @param dryRun whether the scaler only looks
     * @param problem why there are no rounds; asked when somebody looks
     */
    public Board(String identity, boolean dryRun, Supplier<Optional<String>> problem, Clock clock) {
        this.identity = identity;
        this.dryRun = dryRun;
        this.problem = problem;
        this.clock = clock;
        this.startedAt = clock.instant().toString();
    }

    /** A round ended well. */
    public void observed(Snapshot snapshot, Plan plan, List<Verdict> verdicts) {
        show(Survey.of(snapshot, plan, verdicts));
    }

    /** How things stand from now on. */
    synchronized void show(Standing now) {
        standing = now;
        history = history.with(clock.instant(), now);
        failedRounds = 0;
        failure = null;
    }

    /** A round ended with an error. */
    public synchronized void failed(String why) {
        failedRounds++;
        failure = why;
    }

    /** @param identity of the scaler that acts; perhaps this one */
    public synchronized void leads(String identity) {
        leader = identity;
    }

    /**
     * Something was said of an object.
     *
     * @param reason in a word
     */
    public synchronized void told(String kind, String name, boolean warning, String reason, String message) {
        decisions = decisions.with(clock.instant(), kind, name, warning, reason, message);
    }

    synchronized StatusDocument status() {
        return StatusDocument.of(clock.instant(), scaler(), Optional.ofNullable(standing), history, decisions);
    }

    byte[] statusJson() throws JsonProcessingException {
        return JSON.writeValueAsBytes(status());
    }

    /** @param state of which machines; empty: of all */
    byte[] machinesJson(String pool, String state) throws JsonProcessingException {
        Standing now;
        synchronized (this) {
            now = standing;
        }
        return JSON.writeValueAsBytes(
                now == null ? new MachinesDocument(pool, 0, List.of()) : MachinesDocument.of(now, pool, state));
    }

    private Scaler scaler() {
        var role = dryRun ? "only-looks" : identity.equals(leader) ? "leads" : "stands-by";
        return new Scaler(
                identity, role, leader, startedAt, failedRounds, problem.get().orElse(failure));
    }
}
