package dev.trainyard.cloud.azure;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An error as Azure Resource Manager tells it, in an answer or as the outcome of an operation.
 *
 * @param status of the HTTP answer; 200 for the outcome of an operation
 * @param code such as {@code AllocationFailed}; empty when the answer had none
 * @param message in Azure's words
 * @param details what it wraps, often the real cause
 */
record ArmError(int status, String code, String message, List<ArmError> details) {

    ArmError {
        details = List.copyOf(details);
    }

    static ArmError of(int status, String code, String message) {
        return new ArmError(status, code, message, List.of());
    }

    /** This one and all that it wraps, the outermost first. */
    Stream<ArmError> all() {
        return Stream.concat(Stream.of(this), details.stream().flatMap(ArmError::all));
    }

    boolean has(String wanted) {
        return all().anyMatch(error -> error.code().equalsIgnoreCase(wanted));
    }

    /** Whether Azure refused for good what was asked, so that nothing of it was done. */
    boolean isDefinite() {
        return status >= 400 && status < 500 && status != 408 && status != 412;
    }

    /** Code and message, and the innermost cause where the outer message leaves it out. */
    String words() {
        return innermost()
                .filter(cause -> !cause.message().isBlank() && !message.contains(cause.message()))
                .map(cause -> "%s (%s)".formatted(own(), cause.own()))
                .orElseGet(this::own);
    }

    private Optional<ArmError> innermost() {
        return details.isEmpty()
                ? Optional.empty()
                : Optional.of(details.get(0).innermost().orElse(details.get(0)));
    }

    private String own() {
        var what = code.isBlank() ? "HTTP " + status : code;
        return message.isBlank() || message.equals(what) ? what : what + ": " + message;
    }
}
