package dev.trainyard.core.report;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.Map;
import java.util.Objects;

/**
 * A pod for which the extender left no node. Sent at once, so that the scaler need not wait for the pod's condition; losing one does
 * no harm, since the scaler watches the conditions too. Extenders and scalers may be one release apart, so that members that are not
 * known are passed over.
 *
 * @param uid of the pod; the one member without which a report is of no use
 * @param atMillis when the scheduler asked, in milliseconds since 1970
 * @param reasons how many nodes were refused for each reason
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record UnplacedPod(String uid, String namespace, String name, long atMillis, Map<String, Integer> reasons) {

    /** Where the scaler takes reports: POST of one {@link UnplacedPod} as JSON. */
    public static final String PATH = "/unplaced";

    /** The HTTP status by which a scaler that stands by says that another one takes reports. */
    public static final int ELSEWHERE = 503;

    public UnplacedPod {
        Objects.requireNonNull(uid, "uid is missing");
        namespace = Objects.requireNonNullElse(namespace, "");
        name = Objects.requireNonNullElse(name, "");
        reasons = Map.copyOf(Objects.requireNonNullElse(reasons, Map.of()));
    }
}
