package dev.trainyard.cli.check;

import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.scaler.provider.CloudRight;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A check that the clouds allow the current credentials all actions of a scaler. */
final class CloudsCheck implements Check {

    private static final String ABOUT = "clouds";

    /** EKS' names of the Auto Scaling groups of managed node groups: {@code eks-<node group>-<UUID>}. */
    private static final Pattern OF_EKS = Pattern.compile("eks-.+-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    /** AKS' names of the scale sets of node pools: {@code aks-<node pool>-<number>-vmss}. */
    private static final Pattern OF_AKS = Pattern.compile("aks-.+-[0-9]+-vmss");

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        var findings = new ArrayList<Finding>();
        seen.clouds().forEach(cloud -> findings.addAll(look(cloud)));
        seen.queues()
                .value()
                .ifPresentOrElse(
                        queues -> queues.forEach(queue -> findings.addAll(look(queue))),
                        () -> findings.add(ReadResult.notChecked(
                                ABOUT,
                                "the queues of notices: %s"
                                        .formatted(seen.queues().problem()))));
        return findings;
    }

    private static List<Finding> look(QueueAnswer queue) {
        var object = "queue " + queue.url();
        return queue.rights()
                .value()
                .map(rights -> rights(object, rights))
                .orElseGet(() -> List.of(Finding.error(
                                ABOUT,
                                "%s: it cannot be read: %s"
                                        .formatted(object, queue.rights().problem()))
                        .on(object)
                        .see(TroubleshootingTopic.CLOUD_CANNOT_BE_READ)));
    }

    private static List<Finding> look(CloudAnswer cloud) {
        var object = "TrainingPool " + cloud.pool();
        var findings = new ArrayList<Finding>();
        cloud.state()
                .value()
                .ifPresentOrElse(
                        state -> {
                            findings.add(Finding.ok(
                                    ABOUT,
                                    "%s: its cloud can be read, and has %d machines of the pool"
                                            .formatted(object, state.machines().size())));
                            state.warnings().stream()
                                    .map(warning -> Finding.warning(ABOUT, warning)
                                            .on(object)
                                            .see(TroubleshootingTopic.POOL_MISCONFIGURED))
                                    .forEach(findings::add);
                        },
                        () -> findings.add(Finding.error(
                                        ABOUT,
                                        "%s: its cloud cannot be read: %s"
                                                .formatted(object, cloud.state().problem()))
                                .on(object)
                                .see(TroubleshootingTopic.CLOUD_CANNOT_BE_READ)));
        controller(cloud.where())
                .ifPresent(controller -> findings.add(
                        Finding.note(ABOUT, "%s: its machines belong to %s".formatted(object, controller))));
        cloud.rights()
                .value()
                .ifPresentOrElse(
                        rights -> findings.addAll(rights(object, rights)),
                        () -> findings.add(ReadResult.notChecked(
                                ABOUT,
                                "the rights for %s in its cloud: %s"
                                        .formatted(object, cloud.rights().problem()))));
        return findings;
    }

    /** Returns the controller that manages the machines besides Trainyard, with advice; empty if there is none. */
    private static Optional<String> controller(ProviderSpec where) {
        var group = where.awsAutoScalingGroup();
        if (group != null
                && group.name() != null
                && OF_EKS.matcher(group.name()).matches()) {
            return Optional.of(
                    "an EKS managed node group: EKS may terminate busy machines during updates or repairs; see docs/aws.md#eks-managed-node-groups");
        }
        var set = where.azureScaleSet();
        if (set != null && OF_AKS.matcher(set.name()).matches()) {
            return Optional.of(
                    "an AKS node pool: AKS may terminate busy machines during upgrades, repairs or scaling; see docs/azure.md#aks-node-pools");
        }
        return Optional.empty();
    }

    private static List<Finding> rights(String object, List<CloudRight> rights) {
        var findings = new ArrayList<Finding>();
        rights.stream()
                .filter(right -> right.answer() == CloudRight.Answer.REFUSED)
                .map(right -> Finding.error(
                                ABOUT, "%s: the cloud refuses %s: %s".formatted(object, right.action(), right.words()))
                        .on(object)
                        .todo("grant this right, as described in docs/%s.md"
                                .formatted(right.action().startsWith("Microsoft") ? "azure" : "aws"))
                        .see(TroubleshootingTopic.CLOUD_RIGHTS))
                .forEach(findings::add);
        rights.stream()
                .filter(right -> right.answer() == CloudRight.Answer.REFUSED_OPTIONAL)
                .map(right -> Finding.note(
                        ABOUT,
                        "%s: the cloud refuses %s, which is optional: %s"
                                .formatted(object, right.action(), right.words())))
                .forEach(findings::add);
        var allowed = named(rights, CloudRight.Answer.ALLOWED);
        if (!allowed.isEmpty()) {
            findings.add(Finding.ok(ABOUT, "%s: the cloud allows %s".formatted(object, allowed)));
        }
        rights.stream()
                .filter(right -> right.answer() == CloudRight.Answer.UNTOLD)
                .collect(Collectors.groupingBy(CloudRight::words, TreeMap::new, Collectors.toList()))
                .forEach((why, untold) -> findings.add(Finding.note(
                                ABOUT,
                                "%s: whether the cloud allows %s was not checked: %s"
                                        .formatted(object, named(untold, CloudRight.Answer.UNTOLD), why))
                        .see(TroubleshootingTopic.NOT_CHECKED)));
        return findings;
    }

    private static String named(List<CloudRight> rights, CloudRight.Answer answer) {
        return rights.stream()
                .filter(right -> right.answer() == answer)
                .map(CloudRight::action)
                .collect(Collectors.joining(", "));
    }
}
