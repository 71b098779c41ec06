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

/** What Trainyard's ServiceAccounts asked an API server for, as its audit log has it. */
record AuditLog(List<Call> calls) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ACCOUNTS = "system:serviceaccount:trainyard-system:";

    /** Who may do one of them may do all of them here: a watch is of no use without a list. */
    private static final Set<String> READING = Set.of("get", "list", "watch");

    /**
     * One request.
     *
     * @param account the ServiceAccount, without its namespace
     * @param resource with its subresource: {@code pods/eviction}
     * @param namespace empty for all
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
            return allowed
                    && account.equals(rule.account())
                    && resource.equals(wantedResource)
                    && (verb.equals(wantedVerb) || (READING.contains(verb) && READING.contains(wantedVerb)))
                    && words(rule.rule(), "apiGroups").contains(group)
                    && (rule.namespace().isEmpty() || rule.namespace().equals(namespace))
                    && (verb.equals("create") || isNamed(words(rule.rule(), "resourceNames")));
        }

        private boolean isNamed(Set<String> names) {
            return names.isEmpty() || names.contains(name);
        }

        @Override
        public String toString() {
            return "%s: %s %s %s".formatted(account, verb, resource, name).strip();
        }
    }

    /**
     * A rule of a Role.
     *
     * @param account whose right it is
     * @param namespace empty for a ClusterRole's
     */
    private record Rule(String account, String namespace, JsonNode rule) {}

    /** Leaves out what others asked for. */
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

    /** What somebody asked for without the right to. */
    Set<String> refused() {
        var refused = new TreeSet<String>();
        calls.stream().filter(call -> !call.allowed()).forEach(call -> refused.add(call.toString()));
        return refused;
    }

    /** Rights that nobody needed, such as {@code trainyard-scaler: create pods/eviction}. */
    Set<String> unused(Rendered rendered) {
        var unused = new TreeSet<String>();
        for (var rule : rules(rendered)) {
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

    /** Of Roles that are rendered, with those that they are bound to. */
    private static List<Rule> rules(Rendered rendered) {
        var rules = new ArrayList<Rule>();
        for (var kind : List.of("ClusterRole", "Role")) {
            for (var binding : rendered.ofKind(kind + "Binding")) {
                var account = binding.at("/subjects/0/name").asText();
                var namespace = binding.at("/metadata/namespace").asText();
                rendered.ofKind(kind).stream()
                        .filter(role -> isOf(role, binding))
                        .forEach(role -> role.path("rules").forEach(rule -> rules.add(new Rule(account, namespace, rule))));
            }
        }
        return rules;
    }

    private static boolean isOf(ObjectNode role, ObjectNode binding) {
        return role.at("/metadata/name").equals(binding.at("/roleRef/name"))
                && role.at("/metadata/namespace").equals(binding.at("/metadata/namespace"));
    }

    private static Set<String> words(JsonNode rule, String field) {
        var words = new TreeSet<String>();
        rule.path(field).forEach(word -> words.add(word.asText()));
        return words;
    }
}
