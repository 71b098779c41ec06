package dev.trainyard.scaler.ledger;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The machines that a pool's cloud owes: the requested machines whose nodes have not joined. A machine that joins counts towards the oldest
 * request. Immutable, and bounded in size.
 *
 * @param requests the requests with machines that have not joined, the oldest first
 */
public record Debt(List<Request> requests) {

    /**
     * Machines that were requested together.
     *
     * @param machines how many of the machines have not joined yet
     */
    public record Request(Instant since, int machines) {}

    public static final Debt NONE = new Debt(List.of());

    /** The maximum number of recorded requests. If there are more, the latest requests are merged into one. */
    private static final int MOST_REQUESTS = 50;

    public Debt {
        requests = List.copyOf(requests);
    }

    /** Returns when the oldest of these machines was requested; empty if no machine is owed. */
    public Optional<Instant> since() {
        return requests.stream().findFirst().map(Request::since);
    }

    public int machines() {
        return requests.stream().mapToInt(Request::machines).sum();
    }

    /**
     * Returns the debt after a reading of the pool.
     *
     * @param owed the number of machines that the cloud owes now. If this number is smaller than the recorded number minus {@code arrived},
     *     the latest requests have been withdrawn
     * @param arrived the number of machines that have joined since the last reading
     */
    Debt read(int owed, int arrived, Instant now) {
        var left = new ArrayList<Request>();
        int filling = arrived;
        int room = Math.min(owed, Math.max(0, machines() - arrived));
        for (var request : requests) {
            int filled = Math.min(filling, request.machines());
            filling -= filled;
            int kept = Math.min(room, request.machines() - filled);
            room -= kept;
            if (kept > 0) {
                left.add(new Request(past(request.since(), now), kept));
            }
        }
        int more = owed - left.stream().mapToInt(Request::machines).sum();
        if (more > 0) {
            boolean full = left.size() >= MOST_REQUESTS;
            left.add(new Request(now, full ? more + left.remove(left.size() - 1).machines() : more));
        }
        return new Debt(left);
    }

    /** Returns the debt as if all its machines had been requested now. */
    Debt renewed(Instant now) {
        return requests.isEmpty() ? this : new Debt(List.of(new Request(now, machines())));
    }

    /**
     * Returns the time, or {@code now} if the time is in the future. A time in the future was recorded before the clock was set back. A
     * wait that starts at such a time would last too long.
     */
    private static Instant past(Instant time, Instant now) {
        return time.isAfter(now) ? now : time;
    }
}
