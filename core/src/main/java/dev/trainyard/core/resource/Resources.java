package dev.trainyard.core.resource;

import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.LongBinaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Immutable amounts of several resources. CPU is in thousandths of a core; all other resources are in whole units (bytes, GPUs, pods), as
 * in kube-scheduler. Fractions are rounded up. A resource without an entry is zero. Amounts saturate at the limits of {@code long}. Objects
 * with equal amounts are equal: a zero entry is the same as no entry.
 */
public final class Resources {

    public static final Resources NONE = new Resources(new TreeMap<>());

    private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);
    private static final BigDecimal LONG_MAX = BigDecimal.valueOf(Long.MAX_VALUE);

    private final NavigableMap<String, Long> amounts;

    private Resources(NavigableMap<String, Long> amounts) {
        amounts.values().removeIf(amount -> amount == 0);
        this.amounts = amounts;
    }

    public static Resources of(String name, long amount) {
        return of(Map.of(name, amount));
    }

    /** Creates amounts by resource name, with CPU in thousandths of a core. */
    public static Resources of(Map<String, Long> amounts) {
        return new TreeMap<>(amounts).isEmpty() ? NONE : new Resources(new TreeMap<>(amounts));
    }

    /**
     * Reads a Kubernetes resource list. Old resource names are replaced by current ones; if both are present, the greater amount is used.
     *
     * @param field path of the list for messages, such as {@code status.allocatable}
     * @throws IllegalArgumentException if a quantity is invalid or too long; the message names the field, the resource and the value
     */
    public static Resources parse(String field, @Nullable Map<String, Quantity> list) {
        if (list == null || list.isEmpty()) {
            return NONE;
        }
        var amounts = new TreeMap<String, Long>();
        list.forEach((name, quantity) ->
                amounts.merge(ResourceNames.canonical(name), parse(field, name, quantity), Math::max));
        return new Resources(amounts);
    }

    private static long parse(String field, String name, @Nullable Quantity quantity) {
        var amount = Quantities.parse(field + " " + name, quantity);
        return wholeUnits(name.equals(ResourceNames.CPU) ? amount.multiply(THOUSAND) : amount);
    }

    /** Rounds up, and limits the result to the range of a long. */
    private static long wholeUnits(BigDecimal units) {
        return units.setScale(0, RoundingMode.CEILING)
                .min(LONG_MAX)
                .max(LONG_MAX.negate())
                .longValue();
    }

    public long get(String name) {
        return amounts.getOrDefault(name, 0L);
    }

    public long gpus() {
        return get(ResourceNames.GPU);
    }

    public Resources plus(Resources other) {
        return isEmpty() ? other : other.isEmpty() ? this : combine(other, Resources::saturatingAdd);
    }

    /** Returns the difference. An amount may be negative, because the pods of a node can request more than the node has. */
    public Resources minus(Resources other) {
        return other.isEmpty() ? this : combine(other, (a, b) -> saturatingAdd(a, -b));
    }

    /** Returns the greater amount of each resource. */
    public Resources max(Resources other) {
        return combine(other, Math::max);
    }

    public Resources times(long factor) {
        var result = new TreeMap<String, Long>();
        amounts.forEach((name, amount) -> {
            long high = Math.multiplyHigh(amount, factor);
            long low = amount * factor;
            boolean fits = (high == 0 && low >= 0) || (high == -1 && low < 0);
            result.put(name, fits ? low : (high < 0 ? -Long.MAX_VALUE : Long.MAX_VALUE));
        });
        return new Resources(result);
    }

    /**
     * Returns how many times {@code request} fits into this amount. Resources that are not requested are ignored.
     *
     * @return {@code Long.MAX_VALUE} if {@code request} is empty
     */
    public long timesHolding(Resources request) {
        long times = Long.MAX_VALUE;
        for (var wanted : request.amounts.entrySet()) {
            if (wanted.getValue() > 0) {
                times = Math.min(times, Math.max(0, get(wanted.getKey())) / wanted.getValue());
            }
        }
        return times;
    }

    /** Returns the first resource, in alphabetical order, whose requested amount exceeds the amount here; null if the request fits. */
    public @Nullable String firstLacking(Resources request) {
        for (var wanted : request.amounts.entrySet()) {
            if (wanted.getValue() > 0 && wanted.getValue() > get(wanted.getKey())) {
                return wanted.getKey();
            }
        }
        return null;
    }

    public boolean isEmpty() {
        return amounts.isEmpty();
    }

    /** Returns the amounts by resource name, in alphabetical order; unmodifiable. */
    public Map<String, Long> asMap() {
        return Collections.unmodifiableMap(amounts);
    }

    private Resources combine(Resources other, LongBinaryOperator operator) {
        var result = new TreeMap<String, Long>();
        amounts.forEach((name, amount) -> result.put(name, operator.applyAsLong(amount, other.get(name))));
        other.amounts.forEach((name, amount) -> result.putIfAbsent(name, operator.applyAsLong(get(name), amount)));
        return new Resources(result);
    }

    private static long saturatingAdd(long a, long b) {
        long sum = a + b;
        boolean overflowed = ((a ^ sum) & (b ^ sum)) < 0;
        return overflowed ? (a < 0 ? -Long.MAX_VALUE : Long.MAX_VALUE) : sum;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Resources that && amounts.equals(that.amounts);
    }

    @Override
    public int hashCode() {
        return amounts.hashCode();
    }

    /** Returns a text for people: {@code cpu 500m, memory 2Gi, nvidia.com/gpu 1}; {@code nothing} if empty. */
    @Override
    public String toString() {
        return amounts.isEmpty()
                ? "nothing"
                : amounts.entrySet().stream()
                        .map(entry -> entry.getKey() + " " + format(entry.getKey(), entry.getValue()))
                        .collect(Collectors.joining(", "));
    }

    private static String format(String name, long amount) {
        if (name.equals(ResourceNames.CPU)) {
            return amount % 1000 == 0 ? Long.toString(amount / 1000) : amount + "m";
        }
        long shown = amount;
        var suffixes = new String[] {"", "Ki", "Mi", "Gi", "Ti"};
        int power = 0;
        while (shown != 0 && shown % 1024 == 0 && power < suffixes.length - 1) {
            shown /= 1024;
            power++;
        }
        return shown + suffixes[power];
    }
}
