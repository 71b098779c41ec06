package dev.trainyard.emulator.aws;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.function.UnaryOperator;

/** A fault of a request, at the level of the connection, of HTTP or of the API. */
@FunctionalInterface
public interface AwsFault {

    AwsFault NONE = (aws, exchange, request) -> false;

    /**
     * Applies the fault to a request.
     *
     * @return whether the fault has handled the request; if false, the emulator answers as usual
     */
    boolean strike(AwsEmulator aws, HttpExchange exchange, AwsRequest request) throws IOException;

    /** Returns this fault, limited to its first occurrence. */
    default AwsFault once() {
        return (aws, exchange, request) -> {
            boolean struck = strike(aws, exchange, request);
            if (struck) {
                aws.strike(NONE);
            }
            return struck;
        };
    }

    /** Returns this fault, limited to actions whose name contains {@code part}. */
    default AwsFault on(String part) {
        return (aws, exchange, request) -> request.action().contains(part) && strike(aws, exchange, request);
    }

    /** Returns a fault in which AWS refuses the request. */
    static AwsFault error(int status, String code, String message) {
        return (aws, exchange, request) -> {
            aws.answer(exchange, QueryApi.error(request, status, code, message));
            return true;
        };
    }

    /** Returns a fault in which AWS refuses the request and sets Retry-After. */
    static AwsFault error(int status, String code, String message, String retryAfter) {
        return (aws, exchange, request) -> {
            exchange.getResponseHeaders().set("Retry-After", retryAfter);
            return error(status, code, message).strike(aws, exchange, request);
        };
    }

    /** Returns a fault that replaces the answer, without executing the request. */
    static AwsFault answer(String xml) {
        return (aws, exchange, request) -> {
            aws.answer(exchange, new QueryApi.Answer(200, xml));
            return true;
        };
    }

    /** Returns a fault that cuts off the answer in the middle. */
    static AwsFault truncated() {
        return changed(xml -> xml.substring(0, xml.length() / 2));
    }

    /** Returns a fault in which the request is executed and its answer is changed. */
    static AwsFault changed(UnaryOperator<String> change) {
        return (aws, exchange, request) -> {
            var answer = aws.carryOut(request);
            aws.answer(exchange, new QueryApi.Answer(answer.status(), change.apply(answer.xml())));
            return true;
        };
    }

    /** Returns a fault in which a request is executed and its answer is lost. Requests that only read are answered as usual. */
    static AwsFault lostAnswer() {
        return (aws, exchange, request) -> {
            if (request.action().startsWith("Describe") || request.action().startsWith("Get")) {
                return false;
            }
            aws.carryOut(request);
            exchange.close();
            return true;
        };
    }

    /** Returns a fault in which the connection ends without an answer. */
    static AwsFault reset() {
        return (aws, exchange, request) -> {
            exchange.close();
            return true;
        };
    }
}
