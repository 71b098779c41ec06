package dev.trainyard.cli.monitoring;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A parser of the Prometheus expressions in this project's alerts and dashboard: selectors with label matchers and ranges, aggregations,
 * the functions below, and operators with their precedence. It refuses everything else, to find mistakes, even if Prometheus would accept
 * it.
 */
final class PromQl {

    /** An error in an expression. The message names the position. */
    static final class Malformed extends RuntimeException {
        private static final long serialVersionUID = 1;

        Malformed(String message) {
            super(message);
        }
    }

    /**
     * A selector of a metric.
     *
     * @param matchers the operator and value by label, such as {@code =~"a|b"}
     * @param ranged whether the selector has a time range
     */
    record Selector(String metric, Map<String, String> matchers, boolean ranged) {}

    /** The labels by which results are grouped, and the metrics that must have these labels. */
    record Grouping(List<String> labels, List<String> metrics) {}

    private enum Type {
        SCALAR,
        VECTOR,
        RANGE
    }

    private static final Map<String, List<Type>> FUNCTIONS = Map.of(
            "increase", List.of(Type.RANGE),
            "rate", List.of(Type.RANGE),
            "max_over_time", List.of(Type.RANGE),
            "absent", List.of(Type.VECTOR),
            "vector", List.of(Type.SCALAR),
            "time", List.of(),
            "histogram_quantile", List.of(Type.SCALAR, Type.VECTOR));

    private static final Set<String> AGGREGATIONS = Set.of("sum", "min", "max", "avg", "count");

    /** The operators by precedence, the weakest first. */
    private static final List<Set<String>> OPERATORS = List.of(
            Set.of("or"),
            Set.of("and", "unless"),
            Set.of("==", "!=", ">", "<", ">=", "<="),
            Set.of("+", "-"),
            Set.of("*", "/", "%"));

    private static final Set<String> SETS = Set.of("or", "and", "unless");

    private static final Pattern TOKEN = Pattern.compile(
            "\\s*(?:(?<name>[a-zA-Z_][a-zA-Z0-9_]*)|(?<number>\\d+(?:\\.\\d+)?(?<unit>[smhd])?)|(?<text>\"(?:[^\"\\\\]|\\\\.)*\")"
                    + "|(?<sign>=~|!~|==|!=|>=|<=|[-+*/%=<>(){}\\[\\],]))");

    private final List<String> tokens = new ArrayList<>();
    private final List<Selector> selectors = new ArrayList<>();
    private final List<Grouping> groupings = new ArrayList<>();
    private int next;

    private PromQl(String expression) {
        Matcher matcher = TOKEN.matcher(expression);
        int end = 0;
        while (end < expression.stripTrailing().length()) {
            if (!matcher.find(end) || matcher.start() != end) {
                throw new Malformed("cannot read: " + expression.substring(end));
            }
            tokens.add(matcher.group().strip());
            end = matcher.end();
        }
    }

    static PromQl parse(String expression) {
        var read = new PromQl(expression);
        if (read.operators(0) == Type.RANGE) {
            throw new Malformed("a stretch of time is no value: " + expression);
        }
        if (read.next < read.tokens.size()) {
            throw new Malformed("not expected: " + read.tokens.get(read.next));
        }
        return read;
    }

    List<Selector> selectors() {
        return selectors;
    }

    List<Grouping> groupings() {
        return groupings;
    }

    private Type operators(int level) {
        if (level == OPERATORS.size()) {
            return operand();
        }
        var left = operators(level + 1);
        while (OPERATORS.get(level).contains(peek())) {
            var operator = take();
            matching(operator);
            var right = operators(level + 1);
            if (left == Type.RANGE
                    || right == Type.RANGE
                    || (SETS.contains(operator) && (left != right || left != Type.VECTOR))) {
                throw new Malformed("%s takes no %s and %s".formatted(operator, left, right));
            }
            left = left == Type.VECTOR || right == Type.VECTOR ? Type.VECTOR : Type.SCALAR;
        }
        return left;
    }

    /** Reads by which labels an operator matches series, and which side may have several series for one of the other side. */
    private void matching(String operator) {
        if (!peek().equals("on")) {
            return;
        }
        take();
        labels();
        if (peek().equals("group_left") && !SETS.contains(operator)) {
            take();
            labels();
        }
    }

    private Type operand() {
        var token = take();
        if (token.equals("(")) {
            var inside = operators(0);
            expect(")");
            return inside;
        }
        if (token.matches("\\d+(\\.\\d+)?")) {
            return Type.SCALAR;
        }
        if (AGGREGATIONS.contains(token)) {
            aggregation();
            return Type.VECTOR;
        }
        if (peek().equals("(")) {
            return function(token);
        }
        if (!token.matches("[a-zA-Z_][a-zA-Z0-9_]*")) {
            throw new Malformed("not expected: " + token);
        }
        return selector(token);
    }

    private void aggregation() {
        List<String> labels = List.of();
        if (peek().equals("by")) {
            take();
            labels = labels();
        }
        int before = selectors.size();
        expect("(");
        if (operators(0) != Type.VECTOR) {
            throw new Malformed("only vectors can be aggregated");
        }
        expect(")");
        groupings.add(new Grouping(
                labels,
                selectors.subList(before, selectors.size()).stream()
                        .map(Selector::metric)
                        .toList()));
    }

    private List<String> labels() {
        expect("(");
        var labels = new ArrayList<String>();
        while (!peek().equals(")")) {
            labels.add(take());
            if (peek().equals(",")) {
                take();
            }
        }
        expect(")");
        return labels;
    }

    private Type function(String name) {
        var parameters = FUNCTIONS.get(name);
        if (parameters == null) {
            throw new Malformed("unknown function " + name);
        }
        expect("(");
        for (int i = 0; i < parameters.size(); i++) {
            if (i > 0) {
                expect(",");
            }
            var given = operators(0);
            if (given != parameters.get(i)) {
                throw new Malformed("%s takes a %s, not a %s".formatted(name, parameters.get(i), given));
            }
        }
        expect(")");
        return name.equals("time") ? Type.SCALAR : Type.VECTOR;
    }

    private Type selector(String metric) {
        var matchers = new TreeMap<String, String>();
        if (peek().equals("{")) {
            take();
            while (!peek().equals("}")) {
                var label = take();
                var operator = take();
                if (!new HashSet<>(List.of("=", "!=", "=~", "!~")).contains(operator) || !peek().startsWith("\"")) {
                    throw new Malformed("not a matcher: %s%s%s".formatted(label, operator, peek()));
                }
                matchers.put(label, operator + take());
                if (peek().equals(",")) {
                    take();
                }
            }
            take();
        }
        boolean ranged = peek().equals("[");
        if (ranged) {
            take();
            if (!take().matches("\\d+[smhd]")) {
                throw new Malformed("not a duration, after " + metric);
            }
            expect("]");
        }
        selectors.add(new Selector(metric, matchers, ranged));
        return ranged ? Type.RANGE : Type.VECTOR;
    }

    private String peek() {
        return next < tokens.size() ? tokens.get(next) : "";
    }

    private String take() {
        if (next == tokens.size()) {
            throw new Malformed("ends too soon");
        }
        return tokens.get(next++);
    }

    private void expect(String token) {
        var found = take();
        if (!found.equals(token)) {
            throw new Malformed("expected %s, not %s".formatted(token, found));
        }
    }
}
