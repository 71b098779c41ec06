package dev.trainyard.emulator.aws;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.function.UnaryOperator;

/** What goes wrong with a request, below the surface of HTTP or above. */
@FunctionalInterface
public interface AwsFault {

    AwsFault NONE = (aws, exchange, request) -> false;

    /**
     * Applies the fault to a request.
     *
     * @return whether the request has been dealt with; else it is answered as usual
     */
    boolean strike(AwsEmulator aws, HttpExchange exchange, AwsRequest request) throws IOException;

    /** The same, and then none any more. */
    default AwsFault once() {
        return (aws, exchange, request) -> {
            boolean struck = strike(aws, exchange, request);
            if (struck) {
                aws.strike(NONE);
            }
            return struck;
        };
    }

    /** Only for actions with a name like that. */
    default AwsFault on(String part) {
        return (aws, exchange, request) -> request.action().contains(part) && strike(aws, exchange, request);
    }

    /** AWS refuses. */
    static AwsFault error(int status, String code, String message) {
        return (aws, exchange, request) -> {
            aws.answer(exchange, QueryApi.error(request, status, code, message));
            return true;
        };
    }

    /** AWS refuses and says when to come again. */
    static AwsFault error(int status, String code, String message, String retryAfter) {
        return (aws, exchange, request) -> {
            exchange.getResponseHeaders().set("Retry-After", retryAfter);
            return error(status, code, message).strike(aws, exchange, request);
        };
    }

    /** Something else is answered. */
    static AwsFault answer(String xml) {
        return (aws, exchange, request) -> {
            aws.answer(exchange, new QueryApi.Answer(200, xml));
            return true;
        };
    }

    /** The answer is cut off in the middle. */
    static AwsFault truncated() {
        return changed(xml -> xml.substring(0, xml.length() / 2));
    }

    /** The action is carried out, and its answer says something else. */
    static AwsFault changed(UnaryOperator<String> change) {
        return (aws, exchange, request) -> {
            var answer = aws.carryOut(request);
            aws.answer(exchange, new QueryApi.Answer(answer.status(), change.apply(answer.xml())));
            return true;
        };
    }

    /** The action is carried out, and its answer never arrives. */
    static AwsFault lostAnswer() {
        return (aws, exchange, request) -> {
            if (request.action().startsWith("Describe")) {
                return false;
            }
            aws.carryOut(request);
            exchange.close();
            return true;
        };
    }

    /** The connection ends instead of an answer. */
    static AwsFault reset() {
        return (aws, exchange, request) -> {
            exchange.close();
            return true;
        };
    }
}
