package dev.trainyard.scaler.page;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Recent decisions of the scaler about pools, tiers and nodes, and recent answers of clouds. At most {@link #MOST} are kept, the latest
 * first. Immutable.
 */
record Decisions(List<Decisions.Decision> latest) {

    static final Decisions NONE = new Decisions(List.of());
    static final int MOST = 200;

    /** The time within which a repeated decision updates its earlier entry. After this time, a repeated decision gets a new entry. */
    private static final Duration SAME = Duration.ofMinutes(10);

    /** The longest message, in characters; longer messages are cut. */
    private static final int LONGEST = 500;

    /**
     * One decision.
     *
     * @param at when the decision was first reported
     * @param lastAt when the decision was last reported
     * @param times how often the decision was reported
     * @param kind the Kubernetes kind of the object concerned
     * @param warning whether the decision was reported as a warning
     * @param reason the reason of the corresponding Event, as one word
     */
    record Decision(
            Instant at,
            Instant lastAt,
            int times,
            String kind,
            String name,
            boolean warning,
            String reason,
            String message) {

        private boolean says(Decision other) {
            return kind.equals(other.kind)
                    && name.equals(other.name)
                    && reason.equals(other.reason)
                    && message.equals(other.message);
        }

        private Decision again(Instant now) {
            return new Decision(at.isAfter(now) ? now : at, now, times + 1, kind, name, warning, reason, message);
        }
    }

    Decisions {
        latest = List.copyOf(latest);
    }

    Decisions with(Instant now, String kind, String name, boolean warning, String reason, String message) {
        var words = message.length() <= LONGEST ? message : message.substring(0, LONGEST - 3) + "...";
        var said = new Decision(now, now, 1, kind, name, warning, reason, words);
        var changed = new ArrayList<>(latest);
        for (int i = 0; i < changed.size(); i++) {
            var before = changed.get(i);
            if (before.says(said) && isSoonAfter(before.lastAt(), now)) {
                changed.set(i, before.again(now));
                return new Decisions(changed);
            }
        }
        changed.add(0, said);
        return new Decisions(changed.subList(0, Math.min(MOST, changed.size())));
    }

    /**
     * Whether the times are close. {@code now} may be the earlier time, since the clock may have been set back a little. If the clock was
     * set back far, the decision counts as new.
     */
    private static boolean isSoonAfter(Instant before, Instant now) {
        return Duration.between(before, now).abs().compareTo(SAME) < 0;
    }
}
