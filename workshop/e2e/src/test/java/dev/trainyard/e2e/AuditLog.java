package dev.trainyard.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The requests of Trainyard's ServiceAccounts in an API server's audit log. */
record AuditLog(List<Call> calls) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ACCOUNTS = "system:serviceaccount:trainyard-system:";

    /**
     * Verbs of reading, which clients use together: a watch needs a list. A request with one of these verbs counts as a use of all of them.
     */
    private static final Set<String> READING = Set.of("get", "list", "watch");

    /**
     * One request.
     *
     * @param account the ServiceAccount, without its namespace
     * @param resource the resource with its subresource, if any, such as {@code pods/eviction}
     * @param namespace the namespace of the request; empty for all namespaces
     */
    record Call(
            String account,
            String verb,
            String group,
            String resource,
            String namespace,
            String name,
            boolean allowed) {

        private boolean needs(Rule rule, String wantedResource, String wantedVerb) {
            return isAllowedBy(rule)
                    && resource.equals(wantedResource)
                    && (verb.equals(wantedVerb) || (READING.contains(verb) && READING.contains(wantedVerb)));
        }

        /** Whether this rule alone would allow the request. */
        private boolean isAllowedBy(Rule rule) {
            return allowed
                    && account.equals(rule.account())
                    && has(words(rule.rule(), "resources"), resource)
                    && has(words(rule.rule(), "verbs"), verb)
                    && has(words(rule.rule(), "apiGroups"), group)
                    && (rule.namespace().isEmpty() || rule.namespace().equals(namespace))
                    && isNamed(words(rule.rule(), "resourceNames"));
        }

        private boolean isNamed(Set<String> names) {
            return names.isEmpty() || names.contains(name);
        }

        private static boolean has(Set<String> words, String word) {
            return words.contains(word) || words.contains("*");
        }

        @Override
        public String toString() {
            return "%s: %s %s %s".formatted(account, verb, resource, name).strip();
        }
    }

    /**
     * A rule of a Role.
     *
     * @param role kind and name of the role
     * @param account the account with this right
     * @param namespace the namespace of a Role; empty for a rule of a ClusterRole
     */
    record Rule(String role, String account, String namespace, JsonNode rule) {

        /** Returns all rules of the roles in these bindings, each with the account that it is bound to. */
        static List<Rule> of(List<ObjectNode> bindings, List<ObjectNode> roles) {
            var rules = new ArrayList<Rule>();
            for (var binding : bindings) {
                var account = binding.at("/subjects/0/name").asText();
                var namespace = binding.at("/metadata/namespace").asText();
                roles.stream()
                        .filter(role -> isOf(role, binding))
                        .forEach(role -> role.path("rules")
                                .forEach(rule -> rules.add(new Rule(name(role), account, namespace, rule))));
            }
            return rules;
        }

        private static boolean isOf(ObjectNode role, ObjectNode binding) {
            return role.path("kind").equals(binding.at("/roleRef/kind"))
                    && role.at("/metadata/name").equals(binding.at("/roleRef/name"))
                    && (role.path("kind").asText().equals("ClusterRole")
                            || role.at("/metadata/namespace").equals(binding.at("/metadata/namespace")));
        }

        boolean isOf(ObjectNode role) {
            return this.role.equals(name(role));
        }

        private static String name(ObjectNode role) {
            return role.path("kind").asText() + " " + role.at("/metadata/name").asText();
        }

        @Override
        public String toString() {
            return "%s of %s: %s %s".formatted(role, account, words(rule, "verbs"), words(rule, "resources"));
        }
    }

    /** Reads a log, and leaves out requests of other users. */
    static AuditLog read(Path file) throws IOException {
        var calls = new ArrayList<Call>();
        for (var line : Files.readAllLines(file)) {
            var event = JSON.readTree(line);
            var user = event.at("/user/username").asText();
            if (user.startsWith(ACCOUNTS)) {
                var object = event.path("objectRef");
                var subresource = object.path("subresource").asText();
                calls.add(new Call(
                        user.substring(ACCOUNTS.length()),
                        event.path("verb").asText(),
                        object.path("apiGroup").asText(),
                        object.path("resource").asText() + (subresource.isEmpty() ? "" : "/" + subresource),
                        object.path("namespace").asText(),
                        object.path("name").asText(),
                        event.at("/annotations/authorization.k8s.io~1decision")
                                .asText()
                                .equals("allow")));
            }
        }
        return new AuditLog(calls);
    }

    /** Returns the requests that were refused for lack of rights. */
    Set<String> refused() {
        var refused = new TreeSet<String>();
        calls.stream().filter(call -> !call.allowed()).forEach(call -> refused.add(call.toString()));
        return refused;
    }

    /** Returns the rights that no request needed, such as {@code trainyard-scaler: create pods/eviction}. */
    Set<String> unused(List<Rule> rules) {
        var unused = new TreeSet<String>();
        for (var rule : rules) {
            for (var resource : words(rule.rule(), "resources")) {
                for (var verb : words(rule.rule(), "verbs")) {
                    if (calls.stream().noneMatch(call -> call.needs(rule, resource, verb))) {
                        unused.add("%s: %s %s".formatted(rule.account(), verb, resource));
                    }
                }
            }
        }
        return unused;
    }

    /** Returns the dispensable rules: other rules of the account allow every request that such a rule allows. */
    @SuppressWarnings("ReferenceEquality") // Of two equal rules, each is dispensable.
    Set<String> dispensable(List<Rule> rules) {
        var dispensable = new TreeSet<String>();
        for (var rule : rules) {
            boolean missed = calls.stream()
                    .filter(call -> call.isAllowedBy(rule))
                    .anyMatch(call -> rules.stream().noneMatch(other -> other != rule && call.isAllowedBy(other)));
            if (!missed) {
                dispensable.add(rule.toString());
            }
        }
        return dispensable;
    }

    private static Set<String> words(JsonNode rule, String field) {
        var words = new TreeSet<String>();
        rule.path(field).forEach(word -> words.add(word.asText()));
        return words;
    }
}
