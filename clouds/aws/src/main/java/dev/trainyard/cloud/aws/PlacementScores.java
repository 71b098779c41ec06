package dev.trainyard.cloud.aws;

import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * EC2's spot placement scores of the groups of one region. The limits are those of the EC2 user guide, page "Spot placement score". Callers
 * limit how often they ask. Thread-safe.
 */
final class PlacementScores {

    /** With fewer types, EC2's score is always low, so it says nothing about the capacity. */
    static final int FEWEST_TYPES = 3;

    /**
     * The pause after a missing right, and after the error {@code MaxConfigLimitExceeded}. EC2 limits the number of different requests
     * within 24 hours. Each group always makes the same request.
     */
    static final Duration PAUSE = Duration.ofDays(1);

    private final String region;
    private final AwsCalls calls;
    /** Zone IDs by zone name. They never change for an account. */
    private final Map<String, String> zoneIds = new ConcurrentHashMap<>();

    PlacementScores(String region, AwsCalls calls) {
        this.region = region;
        this.calls = calls;
    }

    /**
     * Returns the score for one more machine of a spot group: the score of the group's zone if the group has only one, else that of the
     * region.
     *
     * @return 1 to 10; empty if the group has fewer than {@link #FEWEST_TYPES} types, if EC2 chooses the types by attributes, or if EC2
     *     returns no score for the zone or region
     */
    Optional<Integer> of(Group group) throws ProviderException {
        var types = types(group);
        if (types.size() < FEWEST_TYPES) {
            return Optional.empty();
        }
        try {
            if (group.zones().size() != 1) {
                return Optional.ofNullable(
                        calls.spotScores(region, types, false).get(region));
            }
            var zone = zoneId(group.zones().get(0));
            return zone.isEmpty()
                    ? Optional.empty()
                    : Optional.ofNullable(calls.spotScores(region, types, true).get(zone.get()));
        } catch (ProviderException e) {
            boolean lasting = e.kind() == FailureKind.QUOTA
                    || (e.kind() == FailureKind.AUTH && ApiErrors.isAboutARight(e.words()));
            throw lasting ? new ProviderException(e.kind(), e.words(), PAUSE) : e;
        }
    }

    /** Returns the types in a stable order, so that a group that is described in another order makes the same request. */
    private static List<String> types(Group group) {
        return group.mix().filter(mix -> !mix.byAttributes()).map(Group.Mix::types).orElse(List.of()).stream()
                .distinct()
                .sorted()
                .toList();
    }

    private Optional<String> zoneId(String name) throws ProviderException {
        var known = Optional.ofNullable(zoneIds.get(name));
        if (known.isEmpty()) {
            known = calls.zoneId(name);
            known.ifPresent(id -> zoneIds.put(name, id));
        }
        return known;
    }
}
