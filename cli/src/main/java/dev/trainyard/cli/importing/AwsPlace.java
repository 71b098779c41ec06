package dev.trainyard.cli.importing;

import dev.trainyard.core.api.ProviderSpec;
import java.util.Collection;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Functions for the names of AWS regions and zones. */
final class AwsPlace {

    /** A zone such as {@code ap-northeast-1a}, or a local zone such as {@code us-west-2-lax-1a}, whose region is {@code us-west-2}. */
    private static final Pattern ZONE = Pattern.compile("^([a-z]{2}(?:-[a-z]+)+-[0-9]+)(?:-[a-z]+-[0-9]+)?[a-z]$");

    private AwsPlace() {}

    static ProviderSpec group(String region, String name) {
        return new ProviderSpec(null, null, new ProviderSpec.AwsAutoScalingGroup(region, name), null);
    }

    static boolean isZone(String name) {
        return ZONE.matcher(name).matches();
    }

    /** Returns the common region of the zones; empty if there is none. */
    static Optional<String> regionOf(Collection<String> zones) {
        var regions = new TreeSet<String>();
        for (var zone : zones) {
            var matcher = ZONE.matcher(zone);
            if (matcher.matches()) {
                regions.add(matcher.group(1));
            }
        }
        return regions.size() == 1 ? Optional.of(regions.first()) : Optional.empty();
    }
}
