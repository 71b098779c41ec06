package dev.trainyard.webhook.policy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.webhook.pod.GpuNames;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The admission policies of Kubernetes 1.36 that do the webhook's work for a fixed catalogue. Each tier has a MutatingAdmissionPolicy with
 * its binding. One more policy adds the CPU tier and the pull Secrets of namespaces to pods without a GPU. A ValidatingAdmissionPolicy
 * refuses pods. The limits of policies are in {@code docs/policy.md}.
 *
 * @param objects the objects to apply; equal catalogues give equal objects
 * @param remarks messages for users about the work of the webhook that these policies leave out
 */
public record Policies(List<ObjectNode> objects, List<String> remarks) {

    /** The prefix of the name of a tier's policy; the tier's name follows. */
    public static final String TIER_PREFIX = "trainyard-tier-";

    /** The name of the policy that adds the CPU tier and the pull Secrets of namespaces. */
    public static final String ALL_PODS = "trainyard-all-pods";

    /** The name of the policy that refuses pods. */
    public static final String REFUSALS = "trainyard-refusals";

    private static final int LONGEST_NAME = 253;
    private static final Pattern NAME =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    public Policies {
        objects = List.copyOf(objects);
        remarks = List.copyOf(remarks);
    }

    /**
     * Returns the policies for a catalogue.
     *
     * @param ownNamespace Trainyard's own namespace, in which pods stay unchanged
     * @param gpuNames the resource names by which pods request GPUs
     */
    public static Policies of(Catalogue catalogue, String ownNamespace, GpuNames gpuNames) {
        var rules = new Rules(ownNamespace, gpuNames);
        var objects = new ArrayList<ObjectNode>();
        var remarks = new ArrayList<String>();
        remarks.add(
                "pods with the annotation %s or %s are left unchanged: policies cannot evaluate requests for a kind of GPU"
                        .formatted(Names.GPU_MEMORY, Names.GPU_PRODUCT));
        remarks.add("Jobs are left unchanged: reclaims and evictions count as failures of a Job");
        for (var tier : catalogue.tiers().values()) {
            var name = TIER_PREFIX + tier.name();
            if (name.length() > LONGEST_NAME || !NAME.matcher(name).matches()) {
                remarks.add(
                        "TrainingTier '%s': no policy can be named '%s', so the tier's pods are left unchanged; rename the tier"
                                .formatted(tier.name(), name));
                continue;
            }
            remark(tier, remarks);
            objects.add(TierPolicy.of(name, tier, catalogue, rules));
            objects.add(Rules.binding("MutatingAdmissionPolicyBinding", name));
        }
        objects.add(AllPodsPolicy.of(ALL_PODS, catalogue, rules));
        objects.add(Rules.binding("MutatingAdmissionPolicyBinding", ALL_PODS));
        objects.add(RefusalPolicy.of(REFUSALS, catalogue, rules));
        var refusal = Rules.binding("ValidatingAdmissionPolicyBinding", REFUSALS);
        refusal.withArray("/spec/validationActions").add("Deny");
        objects.add(refusal);
        return new Policies(objects, remarks);
    }

    private static void remark(Tier tier, List<String> remarks) {
        if (tier.pools().isEmpty()) {
            remarks.add("TrainingTier '%s': the tier has no pool that can be used, so its pods get no placement"
                    .formatted(tier.name()));
        }
        if (tier.gangsStartWhole()) {
            remarks.add("TrainingTier '%s': pods get no scheduling gate, so gangs of the tier start in parts"
                    .formatted(tier.name()));
        }
    }
}
