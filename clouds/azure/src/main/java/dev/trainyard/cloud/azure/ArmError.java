package dev.trainyard.cloud.azure;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An error of Azure Resource Manager, from an answer or as the result of an operation.
 *
 * @param status the HTTP status; 200 for the result of an operation, 0 if no usable answer arrived
 * @param code the code, such as {@code AllocationFailed}; empty if the answer had none
 * @param message Azure's message
 * @param details the wrapped errors, which often name the real cause
 */
record ArmError(int status, String code, String message, List<ArmError> details) {

    ArmError {
        details = List.copyOf(details);
    }

    static ArmError of(int status, String code, String message) {
        return new ArmError(status, code, message, List.of());
    }

    /** Returns this error and all wrapped ones, the outermost first. */
    Stream<ArmError> all() {
        return Stream.concat(Stream.of(this), details.stream().flatMap(ArmError::all));
    }

    boolean has(String wanted) {
        return all().anyMatch(error -> error.code().equalsIgnoreCase(wanted));
    }

    /** Whether Azure finally refused the request, so that no part of it was carried out. */
    boolean isDefinite() {
        return status >= 400 && status < 500 && status != 408 && status != 412;
    }

    /** Returns code and message, and the innermost cause if the outer message omits it. */
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
        if (status == 0 && code.isBlank()) {
            return message;
        }
        var what = code.isBlank() ? "HTTP " + status : code;
        return message.isBlank() || message.equals(what) ? what : what + ": " + message;
    }
}
