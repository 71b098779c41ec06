package dev.trainyard.cli.importing;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.api.TrainingTierSpec.DriverMode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * An import of the groups that Kubernetes' cluster autoscaler scaled. Reads the autoscaler's flags from a manifest or a separate file. Reads
 * the groups from the output of {@code aws} or {@code az}. The kind of a file is recognised by its contents.
 */
final class AutoscalerImport {

    private final ImportRemarks remarks;
    private final List<AutoscalerFlags> flags = new ArrayList<>();
    private final List<Dump> awsDumps = new ArrayList<>();
    private final List<Dump> azureDumps = new ArrayList<>();

    /**
     * The output of {@code aws} or {@code az}.
     *
     * @param file the name of the file with the output
     */
    record Dump(String file, JsonNode json) {}

    private AutoscalerImport(ImportRemarks remarks) {
        this.remarks = remarks;
    }

    /** @throws IllegalArgumentException if the files contain no group, and no flag that selects groups */
    static Imported read(List<SourceFile> files, ImportRemarks remarks) {
        var reader = new AutoscalerImport(remarks);
        files.forEach(reader::read);
        return new Imported(reader.pools(files), DriverMode.NONE);
    }

    private void read(SourceFile file) {
        if (file.looksLikeFlags()) {
            flags.add(AutoscalerFlags.ofText(file.name(), file.text(), remarks));
            return;
        }
        for (var document : file.documents()) {
            if (AwsGroupDump.isDump(document)) {
                awsDumps.add(new Dump(file.name(), document));
            } else if (AzureSetDump.isDump(document)) {
                azureDumps.add(new Dump(file.name(), document));
            } else {
                var objects = document.path("kind").asText().endsWith("List") ? document.path("items") : null;
                (objects == null ? Stream.of(document) : stream(objects))
                        .flatMap(object -> AutoscalerFlags.ofManifest(file.name(), object, remarks))
                        .forEach(flags::add);
            }
        }
    }

    private static Stream<JsonNode> stream(JsonNode items) {
        var list = new ArrayList<JsonNode>();
        items.forEach(list::add);
        return list.stream();
    }

    private List<PoolDraft> pools(List<SourceFile> files) {
        var groups = new ArrayList<CloudGroup>(AwsGroupDump.read(awsDumps, remarks));
        groups.addAll(AzureSetDump.read(azureDumps, remarks));
        boolean named = flags.stream()
                .anyMatch(
                        found -> !found.nodes().isEmpty() || !found.discovery().isEmpty());
        if (groups.isEmpty() && !named) {
            throw new IllegalArgumentException(
                    ("%s: no group of machines found; expected a manifest or a file with --nodes or --node-group-auto-discovery,"
                                    + " or the output of `aws autoscaling describe-auto-scaling-groups` or `az vmss list`")
                            .formatted(String.join(
                                    ", ", files.stream().map(SourceFile::name).toList())));
        }
        var taken = new LinkedHashSet<CloudGroup>();
        for (var found : flags) {
            var timing = AutoscalerSettings.read(found.settings(), name -> found.place() + ": --" + name, remarks);
            var mine = new LinkedHashSet<CloudGroup>();
            found.discovery().forEach(rule -> mine.addAll(discovered(found, rule, groups)));
            found.nodes().forEach(node -> named(found, node, groups, mine));
            mine.forEach(group -> group.draft().timing(timing));
            taken.addAll(mine);
        }
        if (!named) {
            groups.stream().filter(CloudGroup::sign).forEach(taken::add);
        }
        taken.forEach(group -> group.draft().applyLimit());
        groups.stream().filter(group -> !taken.contains(group)).forEach(group -> left(group, named));
        return taken.stream().map(CloudGroup::draft).toList();
    }

    private List<CloudGroup> discovered(
            AutoscalerFlags found, AutoscalerFlags.Discovery rule, List<CloudGroup> groups) {
        var matching = groups.stream().filter(group -> group.has(rule.tags())).toList();
        if (matching.isEmpty()) {
            remarks.add(
                    found.place() + ": --node-group-auto-discovery",
                    rule.text(),
                    "no group has these tags: add the output of `aws autoscaling describe-auto-scaling-groups` or `az vmss list` to the files");
        }
        return matching;
    }

    /** Adds to {@code mine} the groups with the name in the flag {@code node}. The bounds in the flag override those of the group. */
    private void named(
            AutoscalerFlags found, AutoscalerFlags.Group node, List<CloudGroup> groups, Set<CloudGroup> mine) {
        var matching =
                groups.stream().filter(group -> group.isNamed(node.name())).toList();
        matching.forEach(group -> {
            group.draft().between(node.min(), node.max());
            mine.add(group);
        });
        if (matching.isEmpty()) {
            remarks.add(
                    found.place() + ": --nodes",
                    "%d:%d:%s".formatted(node.min(), node.max(), node.name()),
                    "pool left out, because flags do not describe its machines: add the output of `aws autoscaling "
                            + "describe-auto-scaling-groups` or `az vmss list` to the files");
        }
    }

    private void left(CloudGroup group, boolean named) {
        remarks.add(
                group.draft().place,
                group.name(),
                named
                        ? "left out: the flags do not name it"
                        : "left out: the group has no tag of a cluster, such as KubernetesCluster or k8s.io/cluster-autoscaler/enabled");
    }
}
