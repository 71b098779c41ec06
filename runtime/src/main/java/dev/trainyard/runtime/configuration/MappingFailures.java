package dev.trainyard.runtime.configuration;

import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Messages about objects in files that do not match their kind. The messages name fields of the file instead of Java types. */
final class MappingFailures {

    private static final ObjectMapper JSON = new ObjectMapper();

    private MappingFailures() {}

    /** Returns a message with the invalid field and the problem. */
    static String inWords(JsonMappingException problem) {
        var field = field(problem);
        return (field.isEmpty() ? "the object" : field) + ": " + wrong(problem);
    }

    private static String field(JsonMappingException problem) {
        var field = problem.getPath().stream()
                .map(step -> step.getFieldName() == null ? "[" + step.getIndex() + "]" : "." + step.getFieldName())
                .collect(Collectors.joining());
        return field.startsWith(".") ? field.substring(1) : field;
    }

    private static String wrong(JsonMappingException problem) {
        if (problem instanceof UnrecognizedPropertyException unknown) {
            var known = Optional.ofNullable(unknown.getKnownPropertyIds())
                    .<Collection<Object>>map(ids -> ids)
                    .orElse(List.of());
            return "unknown field; known: "
                    + known.stream().map(Object::toString).sorted().collect(Collectors.joining(", "));
        }
        if (problem instanceof InvalidFormatException invalid) {
            var type = invalid.getTargetType();
            return "'%s' is not %s"
                    .formatted(
                            invalid.getValue(),
                            type != null && type.isEnum()
                                    ? "one of " + words(type.getEnumConstants())
                                    : expected(type));
        }
        if (problem instanceof ValueInstantiationException && problem.getCause() != null) {
            return firstLine(problem.getCause().getMessage());
        }
        if (problem instanceof MismatchedInputException mismatched) {
            return "expected " + expected(mismatched.getTargetType());
        }
        if (problem.getCause() instanceof InputCoercionException tooLarge) {
            return "the number is too large or too small: expected " + expected(tooLarge.getTargetType());
        }
        var message = firstLine(problem.getOriginalMessage());
        return message.startsWith("Cannot construct instance") ? "expected another value" : message;
    }

    /** Returns the values of an enum as users write them. */
    private static String words(Object[] values) {
        return Arrays.stream(values)
                .map(value -> JSON.convertValue(value, String.class))
                .collect(Collectors.joining(", "));
    }

    private static String expected(@Nullable Class<?> type) {
        if (type == null) {
            return "another value";
        }
        if (type == Integer.class || type == int.class || type == Long.class || type == long.class) {
            return "a whole number";
        }
        if (Number.class.isAssignableFrom(type)) {
            return "a number";
        }
        if (type == Boolean.class || type == boolean.class) {
            return "true or false";
        }
        if (CharSequence.class.isAssignableFrom(type)) {
            return "text";
        }
        if (type.isEnum()) {
            return "one of " + words(type.getEnumConstants());
        }
        return Collection.class.isAssignableFrom(type) || type.isArray() ? "a list" : "fields with values";
    }

    private static String firstLine(@Nullable String message) {
        return message == null ? "cannot be read" : message.lines().findFirst().orElse("cannot be read");
    }
}
