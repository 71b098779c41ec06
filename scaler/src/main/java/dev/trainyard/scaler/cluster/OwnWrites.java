package dev.trainyard.scaler.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Objects as this process wrote them, kept while the watch still shows older versions. If a round used the older versions, it would repeat
 * the decisions of the last round.
 */
public final class OwnWrites<T extends HasMetadata> {

    private final Map<String, T> written = new HashMap<>();

    /** Records the API server's answer to a write; null is ignored. */
    public void wrote(@Nullable T object) {
        if (object != null) {
            written.put(key(object), object);
        }
    }

    /**
     * Returns the watched objects. Replaces an object by the version that this process wrote if that version is newer. Objects that the
     * watch does not show count as deleted.
     */
    public List<T> over(List<T> watched) {
        if (written.isEmpty()) {
            return watched;
        }
        var result = new ArrayList<T>();
        var pending = new HashMap<String, T>();
        for (var object : watched) {
            var own = written.get(key(object));
            if (own != null && sameObject(own, object) && version(own) > version(object)) {
                pending.put(key(own), own);
                result.add(own);
            } else {
                result.add(object);
            }
        }
        written.clear();
        written.putAll(pending);
        return result;
    }

    private static String key(HasMetadata object) {
        return object.getMetadata().getNamespace() + "/" + object.getMetadata().getName();
    }

    private static boolean sameObject(HasMetadata a, HasMetadata b) {
        return String.valueOf(a.getMetadata().getUid()).equals(b.getMetadata().getUid());
    }

    /**
     * Returns the resource version as a number: the versions of one kind can be compared as numbers (KEP-5504). A version that is not a
     * number counts as old.
     */
    private static long version(HasMetadata object) {
        try {
            return Long.parseLong(String.valueOf(object.getMetadata().getResourceVersion()));
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
