package dev.trainyard.runtime.resource;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.resource.Quantities;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The CEL rules of the CustomResourceDefinitions, implemented in Java. Rules are looked up by their text, so a test fails if a rule changes
 * only in a definition. A CEL evaluator would add protobuf, ANTLR and Guava as dependencies for these few rules.
 */
final class DefinitionRules {

    private static final Pattern DOTS = Pattern.compile("(^|/)[.]{1,2}(/|$)");
    private static final Pattern SOME_DIGIT = Pattern.compile("[1-9]");
    private static final List<String> EFFECTS = List.of("NoSchedule", "PreferNoSchedule", "NoExecute");
    private static final String GPU_MEMORY = "nvidia.com/gpu.memory";

    private static final Map<String, Predicate<JsonNode>> RULES = Map.ofEntries(
            Map.entry("!has(self.min) || self.max >= self.min", self -> atMost(self, "min", self.path("max"))),
            Map.entry("!has(self.spare) || self.max >= self.spare", self -> atMost(self, "spare", self.path("max"))),
            Map.entry(
                    "!has(self.min) || !has(self.max) || self.max >= self.min",
                    self -> !self.has("max") || atMost(self, "min", self.path("max"))),
            Map.entry(
                    "!has(self.provider.azureScaleSet) || self.max <= 1000",
                    self -> !self.path("provider").has("azureScaleSet")
                            || self.path("max").asLong() <= 1000),
            Map.entry(
                    "!has(self.provider.azureScaleSet) || !has(self.provider.azureScaleSet.singlePlacementGroup)"
                            + " || !self.provider.azureScaleSet.singlePlacementGroup || self.max <= 100",
                    self -> !self.at("/provider/azureScaleSet/singlePlacementGroup")
                                    .asBoolean()
                            || self.path("max").asLong() <= 100),
            Map.entry(
                    "!has(self.provisionTimeout) || duration(self.provisionTimeout) > duration('0s')",
                    self -> isSomeTime(self, "provisionTimeout")),
            Map.entry(
                    "!has(self.billingIncrement) || duration(self.billingIncrement) > duration('0s')",
                    self -> isSomeTime(self, "billingIncrement")),
            Map.entry(
                    "!has(self.fallbackAfter) || duration(self.fallbackAfter) > duration('0s')",
                    self -> isSomeTime(self, "fallbackAfter")),
            Map.entry("!has(self.grace) || duration(self.grace) > duration('0s')", self -> isSomeTime(self, "grace")),
            Map.entry("!has(self.after) || duration(self.after) > duration('0s')", self -> isSomeTime(self, "after")),
            Map.entry(
                    "!has(self.labels) || !('nvidia.com/gpu.memory' in self.labels)"
                            + " || self.labels['nvidia.com/gpu.memory'].matches('^[0-9]{1,9}$')",
                    self -> !self.path("labels").has(GPU_MEMORY)
                            || self.path("labels").path(GPU_MEMORY).asText().matches("[0-9]{1,9}")),
            Map.entry(
                    "!has(self.allocatable) || !('cpu' in self.allocatable)"
                            + " || (quantity(string(self.allocatable['cpu'])).isGreaterThan(quantity('0'))"
                            + " && !quantity(string(self.allocatable['cpu'])).isGreaterThan(quantity('10k')))",
                    self -> !self.path("allocatable").has("cpu")
                            || (amount(self.path("allocatable").path("cpu")).signum() > 0
                                    && isAtMost(self.path("allocatable").path("cpu"), 10_000))),
            Map.entry(
                    "!has(self.allocatable) || self.allocatable.all(name, !name.endsWith('gpu')"
                            + " || !quantity(string(self.allocatable[name])).isGreaterThan(quantity('1k')))",
                    self -> self.path("allocatable").properties().stream()
                            .allMatch(
                                    amount -> !amount.getKey().endsWith("gpu") || isAtMost(amount.getValue(), 1_000))),
            Map.entry(
                    "self.effect in ['NoSchedule', 'PreferNoSchedule', 'NoExecute']",
                    self -> EFFECTS.contains(self.path("effect").asText())),
            Map.entry(
                    "has(self.id) != (has(self.publisher) && has(self.offer) && has(self.sku))",
                    self -> self.has("id")
                            != Stream.of("publisher", "offer", "sku").allMatch(self::has)),
            Map.entry(ProviderSpec.ONE_RULE, self -> self.size() == 1),
            Map.entry(
                    "self.metadata.name.size() <= 63",
                    self -> self.path("metadata").path("name").asText().length() <= 63),
            Map.entry(
                    "self.metadata.name == 'default'",
                    self -> self.path("metadata").path("name").asText().equals(TrainingCluster.NAME)),
            Map.entry(
                    "self.pools.all(name, self.pools.exists_one(other, other == name))",
                    self -> StreamSupport.stream(self.path("pools").spliterator(), false)
                            .allMatch(new HashSet<JsonNode>()::add)),
            Map.entry(TrainingTierSpec.GROUPS_RULE, DefinitionRules::groupsFollowEachOther),
            Map.entry(
                    TrainingTierSpec.ONE_GROUP_RULE,
                    self -> texts(self.path("equallyPreferred")).allMatch(new HashSet<String>()::add)),
            Map.entry("!(has(self.version) && has(self.root))", self -> !(self.has("version") && self.has("root"))),
            Map.entry(
                    "!has(self.root) || !self.root.matches('(^|/)[.]{1,2}(/|$)')",
                    self -> !DOTS.matcher(self.path("root").asText()).find()),
            Map.entry(
                    "!has(self.extraLibraries) || !self.extraLibraries.exists(file, file.matches('(^|/)[.]{1,2}(/|$)'))",
                    self -> StreamSupport.stream(self.path("extraLibraries").spliterator(), false)
                            .noneMatch(file -> DOTS.matcher(file.asText()).find())));

    private DefinitionRules() {}

    /** Whether {@code self} satisfies the rule. {@code self} must match the schema, and must have its defaults filled in. */
    static boolean holds(String rule, JsonNode self) {
        return Objects.requireNonNull(RULES.get(rule), () -> "DefinitionRules does not implement the rule " + rule)
                .test(self);
    }

    static boolean knows(String rule) {
        return RULES.containsKey(rule);
    }

    private static boolean atMost(JsonNode self, String field, JsonNode most) {
        return !self.has(field) || self.path(field).decimalValue().compareTo(most.decimalValue()) <= 0;
    }

    private static boolean isSomeTime(JsonNode self, String field) {
        return !self.has(field) || SOME_DIGIT.matcher(self.path(field).asText()).find();
    }

    private static boolean groupsFollowEachOther(JsonNode tier) {
        var pools = texts(tier.path("pools")).toList();
        return StreamSupport.stream(tier.path("equallyPreferred").spliterator(), false)
                .allMatch(group -> {
                    var places = texts(group).mapToInt(pools::indexOf).summaryStatistics();
                    return places.getMin() >= 0 && places.getMax() - places.getMin() == group.size() - 1;
                });
    }

    /** Returns the texts in a list, and in the lists that it contains. */
    private static Stream<String> texts(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false)
                .flatMap(item -> item.isArray() ? texts(item) : Stream.of(item.asText()));
    }

    private static boolean isAtMost(JsonNode quantity, long most) {
        return amount(quantity).compareTo(BigDecimal.valueOf(most)) <= 0;
    }

    private static BigDecimal amount(JsonNode quantity) {
        return Quantities.parse("quantity", quantity.asText());
    }
}
