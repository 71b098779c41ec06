package dev.trainyard.core.gang;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.admission.UserText;
import java.util.Optional;

/** A reader of numbers of pods in pods and objects of others. */
final class Replicas {

    private Replicas() {}

    /**
     * Returns the number at a path of an object.
     *
     * @param path a JSON pointer, such as {@code /spec/parallelism}
     * @param absent the result if there is no value
     * @throws IllegalArgumentException if the value is not a whole number from 0 to {@link Gang#LARGEST}
     */
    static int at(JsonNode object, String path, int absent) {
        return at(object, "", path, absent);
    }

    /**
     * Returns the number at a path of a part of an object.
     *
     * @param part the field that contains the part, such as {@code spec.replicatedJobs[workers].}, for messages
     * @param path a JSON pointer that starts at the part, such as {@code /replicas}
     * @param absent the result if there is no value
     * @throws IllegalArgumentException if the value is not a whole number from 0 to {@link Gang#LARGEST}
     */
    static int at(JsonNode object, String part, String path, int absent) {
        var value = object.at(path);
        if (value.isMissingNode() || value.isNull()) {
            return absent;
        }
        if (!value.isIntegralNumber()
                || !value.canConvertToInt()
                || value.intValue() < 0
                || value.intValue() > Gang.LARGEST) {
            throw new IllegalArgumentException("%s%s is %s; expected a whole number from 0 to %d"
                    .formatted(
                            part, path.substring(1).replace('/', '.'), UserText.shown(value.toString()), Gang.LARGEST));
        }
        return value.intValue();
    }

    /**
     * Returns a number of pods as the size of a gang.
     *
     * @param field the field that the number was read from, such as {@code spec.replicatedJobs}
     * @throws IllegalArgumentException if a gang cannot have this size
     */
    static int size(String field, long pods) {
        if (pods < 1 || pods > Gang.LARGEST) {
            throw new IllegalArgumentException(
                    "%s has %d pods; expected from 1 to %d pods".formatted(field, pods, Gang.LARGEST));
        }
        return (int) pods;
    }

    /** Returns the size of a gang that a label or an annotation states; empty if a gang cannot have this size. */
    static Optional<Integer> stated(String text) {
        try {
            return Optional.of(Integer.valueOf(text.strip())).filter(size -> size >= 1 && size <= Gang.LARGEST);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Returns the problem of a label or an annotation that does not {@linkplain #stated state} a size. */
    static String problem(String field, String text) {
        return "%s is '%s'; expected a whole number from 1 to %d, such as 8"
                .formatted(field, UserText.shown(text), Gang.LARGEST);
    }
}
