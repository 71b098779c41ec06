package dev.trainyard.cli.importing;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator.Feature;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.util.StringQuotingChecker;
import dev.trainyard.cli.importing.Result.ImportedPool;
import dev.trainyard.core.Names;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The YAML text of pools and tiers, each with a comment about its source. A pool that cannot be used yet is commented out. */
public final class ImportedManifests {

    private static final YAMLMapper YAML = YAMLMapper.builder(YAMLFactory.builder()
                    .disable(Feature.WRITE_DOC_START_MARKER)
                    .disable(Feature.SPLIT_LINES)
                    .enable(Feature.MINIMIZE_QUOTES)
                    .enable(Feature.INDENT_ARRAYS_WITH_INDICATOR)
                    .stringQuotingChecker(new Quoting())
                    .build())
            .defaultPropertyInclusion(JsonInclude.Value.construct(Include.NON_NULL, Include.NON_NULL))
            .build();

    private ImportedManifests() {}

    /**
     * A checker that also quotes each text that does not start with a letter or a slash, because YAML has many formats of numbers, such as
     * 1e3.
     */
    private static final class Quoting extends StringQuotingChecker.Default {

        private static final long serialVersionUID = 1;

        @Override
        public boolean needToQuoteValue(String value) {
            return super.needToQuoteValue(value) || !value.matches("[A-Za-z/].*");
        }
    }

    /**
     * Returns the manifests of the imported pools.
     *
     * @param source the name of the source file
     */
    public static String pools(Result result, String source) {
        var usable = result.pools().stream().map(pool -> "# %s of %s\n%s".formatted(pool.origin(), source, pool(pool)));
        var unusable = result.unusable().stream()
                .map(found -> "# %s of %s cannot be used before this is fixed:\n# %s\n%s"
                        .formatted(found.pool().origin(), source, found.problem(), commentedOut(pool(found.pool()))));
        return Stream.concat(usable, unusable).collect(Collectors.joining("---\n"));
    }

    /**
     * Returns the manifests of tiers of the imported pools.
     *
     * @param source the name of the source file
     */
    public static String tiers(Result result, String source) {
        return result.tiers().entrySet().stream()
                .map(tier -> "# For the pools of %s\n%s"
                        .formatted(source, object("TrainingTier", tier.getKey(), tier.getValue())))
                .collect(Collectors.joining("---\n"));
    }

    private static String pool(ImportedPool pool) {
        return object("TrainingPool", pool.name(), pool.spec());
    }

    private static String commentedOut(String yaml) {
        return yaml.lines().map(line -> "# " + line + "\n").collect(Collectors.joining());
    }

    private static String object(String kind, String name, Object spec) {
        var object = new LinkedHashMap<String, Object>();
        object.put("apiVersion", Names.GROUP + "/" + Names.VERSION);
        object.put("kind", kind);
        object.put("metadata", Map.of("name", name));
        object.put("spec", spec);
        try {
            return YAML.writeValueAsString(object);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
