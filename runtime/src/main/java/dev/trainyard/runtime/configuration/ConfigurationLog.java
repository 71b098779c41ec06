package dev.trainyard.runtime.configuration;

import dev.trainyard.core.catalogue.Catalogue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log lines about changed pools and tiers, common to all configuration sources. */
public final class ConfigurationLog {

    private static final Logger log = LoggerFactory.getLogger(ConfigurationLog.class);

    private ConfigurationLog() {}

    /** Warns of the problems in {@code now} that were not in {@code before}, and logs the numbers of pools and tiers. */
    public static void changed(Catalogue before, Catalogue now) {
        now.problems().stream()
                .filter(problem -> !before.problems().contains(problem))
                .forEach(problem -> log.warn("configuration: {}", problem));
        log.info(
                "configuration: {} pools, {} tiers, CPU pods on GPU nodes: {}",
                now.pools().size(),
                now.tiers().size(),
                now.cpuPodsOnGpuNodes());
    }
}
