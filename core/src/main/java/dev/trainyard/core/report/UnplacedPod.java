package dev.trainyard.core.report;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.Map;
import java.util.Objects;

/**
 * A report of a pod for which the extender found no node. The extender sends the report at once; the pod's condition would reach the scaler
 * later. A lost report does no harm, because the scaler also watches the conditions. The extender and the scaler may be one release apart,
 * so unknown members are ignored.
 *
 * @param uid UID of the pod; the only member that is required
 * @param atMillis time of the scheduler's call, in milliseconds since 1970
 * @param reasons number of rejected nodes for each reason
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record UnplacedPod(String uid, String namespace, String name, long atMillis, Map<String, Integer> reasons) {

    /** The path of the scaler that receives reports: a POST request with one {@link UnplacedPod} as JSON. */
    public static final String PATH = "/unplaced";

    /** The HTTP status with which a standby scaler rejects a report. Only the leader accepts reports. */
    public static final int ELSEWHERE = 503;

    public UnplacedPod {
        Objects.requireNonNull(uid, "uid is missing");
        namespace = Objects.requireNonNullElse(namespace, "");
        name = Objects.requireNonNullElse(name, "");
        reasons = Map.copyOf(Objects.requireNonNullElse(reasons, Map.of()));
    }
}
