package dev.trainyard.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.extender.calls.LeaseName;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.NamedRuleWithOperations;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests of the checks of policies that restrict components, and of the configuration of pods and the scheduler. */
class ConfinementChecksTest {

    private final CheckFixture world = new CheckFixture();

    @Test
    void findsPoliciesAndBindingsThatAreMissing() {
        world.policies.remove(0);
        assertThat(world.trouble().toString())
                .isEqualTo(
                        "warning  policies: ValidatingAdmissionPolicy trainyard-secrets is missing, so components have more rights than they need; apply manifests/base/secrets-policy.yaml; see docs/troubleshooting.md#rights-too-wide");
        world.policyBindings.remove(1);
        assertThat(world.findings())
                .anyMatch(finding ->
                        finding.contains("ValidatingAdmissionPolicyBinding trainyard-extender-nudges is missing, so"));
    }

    @Test
    void findsPoliciesThatSomebodyChanged() {
        var spec = world.policies.get(0).getSpec();
        var binding = world.policyBindings.get(0).getSpec();
        binding.setValidationActions(List.of("Audit"));
        assertThat(world.trouble().toString())
                .contains(
                        "(ValidatingAdmissionPolicyBinding trainyard-secrets spec.validationActions[0] = Audit, expected Deny); apply manifests/base/secrets-policy.yaml");
        binding.setValidationActions(List.of("Deny"));

        spec.getValidations().get(1).setExpression("true");
        assertThat(world.trouble().toString())
                .contains("spec.validations[1].expression = true, expected object.type == 'Opaque')");
        spec.getValidations().get(1).setExpression("object.type  ==\n'Opaque'");
        assertThat(world.findings()).allMatch(finding -> finding.startsWith("ok"));

        spec.getMatchConstraints()
                .setExcludeResourceRules(List.of(new NamedRuleWithOperations(
                        List.of(""), List.of("v1"), List.of("CREATE"), List.of(), List.of("secrets"), "*")));
        assertThat(world.trouble().toString())
                .contains("spec.matchConstraints.excludeResourceRules = [")
                .contains(", expected no such field)");
    }

    @Test
    void passesOverWhatTheApiServerFillsIn() {
        var constraints = world.policies.get(0).getSpec().getMatchConstraints();
        constraints.setMatchPolicy("Equivalent");
        constraints.getResourceRules().get(0).setScope("*");
        assertThat(world.findings()).allMatch(finding -> finding.startsWith("ok"));
    }

    @Test
    void expectsOfTheClustersOwnSchedulerTheAccountOfTheExtender() {
        world.setting = new CheckedInstallation(
                "trainyard-system", LeaseName.parse("kube-system/kube-scheduler"), "default", "0.1.0");
        var condition = world.policies.get(1).getSpec().getMatchConditions().get(0);
        assertThat(world.findings())
                .anyMatch(
                        finding -> finding.contains(
                                "spec.matchConditions[0].expression = request.userInfo.username == 'system:serviceaccount:trainyard-system:trainyard-scheduler', expected request.userInfo.username == 'system:serviceaccount:trainyard-system:trainyard-extender')"));
        condition.setExpression(condition.getExpression().replace("trainyard-scheduler", "trainyard-extender"));
        assertThat(world.findings()).noneMatch(finding -> finding.startsWith("warning  policies"));
    }

    @Test
    void findsConfigMapsAndSecretsThatPodsWaitFor() {
        world.named = List.of(named(Optional.empty()));
        assertThat(world.trouble().toString())
                .isEqualTo(
                        "error    configuration of parts: ConfigMap trainyard-system/config-x7 is missing, so pods of Deployment trainyard-system/trainyard-scheduler do not start (Deployment trainyard-system/trainyard-scheduler volumes[configuration].configMap = config-x7, expected an existing ConfigMap); if the ConfigMap is part of Trainyard, apply the manifests; otherwise create the ConfigMap; see docs/troubleshooting.md#replicas-missing");
        world.named = List.of(named(Optional.of(Set.of("other"))));
        assertThat(world.trouble().toString())
                .contains("ConfigMap trainyard-system/config-x7 lacks a key, so pods of")
                .contains(
                        "(ConfigMap trainyard-system/config-x7 data = other, expected key as well, which volumes[configuration]")
                .contains("; add the key to the ConfigMap, or name another key in the Deployment;");
        world.named = List.of(named(Optional.of(Set.of("key"))));
        assertThat(world.findings()).allMatch(finding -> finding.startsWith("ok"));
    }

    @Test
    void findsAnExtenderThatIsToldOfOtherwise() {
        var shipped = world.schedulerFile;
        world.schedulerFile = shipped.replace("filterVerb: \"choose\"", "filterVerb: \"filters\"");
        assertThat(world.trouble().toString())
                .startsWith("error    scheduler's configuration: the scheduler does not ask the extender about nodes")
                .contains("extenders[0].filterVerb = filters, expected choose)");
        var twoCalls = shipped.replace("filterVerb: \"choose\"", "filterVerb: \"filter\"");
        world.schedulerFile = twoCalls;
        assertThat(world.trouble().toString()).startsWith("warning").contains("filterVerb = filter, expected choose");
        world.schedulerFile = twoCalls.replace(
                "extenders:\n", "extenders:\n- urlPrefix: \"https://127.0.0.1:9\"\n  filterVerb: \"filter\"\n");
        assertThat(world.findings()).allMatch(finding -> finding.startsWith("ok"));
        for (var change : List.of(
                List.of("nodeCacheCapable: true", "nodeCacheCapable: false"),
                List.of("weight: 200", "weight: 1"),
                List.of("ignorable: true", "ignorable: false"),
                List.of("caFile: \"/etc/trainyard/tls/ca.crt\"", "caFile: \"/elsewhere\""))) {
            world.schedulerFile = shipped.replace(change.get(0), change.get(1));
            var field = change.get(0).substring(0, change.get(0).indexOf(':'));
            assertThat(world.trouble().field()).startsWith("extenders[0].").endsWith(field);
            assertThat(world.trouble().expected()).isNotEmpty();
        }
        world.schedulerFile = shipped.replace(
                "  ignorable: true",
                "  ignorable: true\n  managedResources:\n  - {name: nvidia.com/gpu, ignoredByScheduler: true}");
        assertThat(world.trouble().toString())
                .contains("extenders[0].managedResources = [{")
                .contains(", expected no such field)");
    }

    @Test
    void leavesTheTimeoutOfTheExtenderToAdministrators() {
        world.schedulerFile = world.schedulerFile.replace("httpTimeout: \"2s\"", "httpTimeout: \"30s\"");
        assertThat(world.findings()).allMatch(finding -> finding.startsWith("ok"));
    }

    @Test
    void knowsOurExtenderAmongOthers() {
        var parts = new ArrayList<>(List.of(world.schedulerFile.split("extenders:\n", 2)));
        world.schedulerFile = parts.get(0) + "extenders:\n- urlPrefix: \"http://other\"\n" + parts.get(1);
        assertThat(world.findings()).allMatch(finding -> finding.startsWith("ok"));
    }

    private static RequiredObject named(Optional<Set<String>> keys) {
        return new RequiredObject(
                "ConfigMap",
                "config-x7",
                "Deployment trainyard-system/trainyard-scheduler",
                "volumes[configuration].configMap",
                Set.of("key"),
                ReadResult.of(keys));
    }
}
