package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A component's token gives neither a token of another component, nor a Secret that the scaler reads at its start. RBAC lets a component
 * create any Secret of the namespace. This test grants components even more than the manifests do, so that only the policy restricts
 * them.
 */
@WithControlPlane
@ResourceLock(WithControlPlane.CLUSTER)
class SecretsPolicyIT {

    private static final String TOKEN = "kubernetes.io/service-account-token";
    private static final List<String> READ_BY_THE_SCALER =
            List.of("trainyard-azure", "trainyard-aws", "trainyard-notify", "trainyard-azure-custom-data");

    private final RoleBinding anything = new RoleBindingBuilder()
            .withNewMetadata()
            .withName("anything")
            .withNamespace(Names.NAMESPACE)
            .endMetadata()
            .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "admin")
            .addNewSubject("rbac.authorization.k8s.io", "Group", "system:serviceaccounts", null)
            .build();

    @BeforeEach
    void install(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        RegisteredWebhook.install(client);
        client.resource(anything).serverSideApply();
        try (var webhook = as("trainyard-webhook", controlPlane)) {
            TrainingGround.awaitTrue("rights and policy are in force", () -> isRefused(webhook));
        }
    }

    @AfterEach
    void remove(KubernetesClient client) {
        client.resource(anything).delete();
    }

    @ParameterizedTest
    @CsvSource({
        "trainyard-webhook,   trainyard-webhook-ca",
        "trainyard-scheduler, trainyard-internal-ca",
        "trainyard-extender,  trainyard-internal-ca",
        "trainyard-scaler,    trainyard-internal-ca"
    })
    void aComponentMakesItsOwnCaAndNoOtherSecret(
            String account, String own, ControlPlane controlPlane, KubernetesClient client) {
        client.resource(secret(own, "Opaque")).delete(); // may be left from another test's components
        try (var component = as(account, controlPlane)) {
            assertThatCode(() -> create(component, secret(own, "Opaque"))).doesNotThrowAnyException();

            var other = own.equals("trainyard-webhook-ca") ? "trainyard-internal-ca" : "trainyard-webhook-ca";
            assertRefused(component, secret(other, "Opaque"), "but that of its own CA, \"" + own + "\"; this is");
            READ_BY_THE_SCALER.forEach(
                    name -> assertRefused(component, secret(name, "Opaque"), "; this is \"" + name + '"'));
            assertRefused(component, generated(own), "; this is \"" + own);
            for (var type : List.of(TOKEN, "bootstrap.kubernetes.io/token", "example.com/any")) {
                assertRefused(component, secret(own, type), "; this is of type " + type);
            }
        }
    }

    /** Covers apply too, which creates a missing object without a POST. */
    @Test
    void aComponentGetsNoTokenOfAnother(ControlPlane controlPlane, KubernetesClient client) {
        var token = secret("trainyard-internal-ca", TOKEN);
        client.resource(token).delete();
        try (var scheduler = as("trainyard-scheduler", controlPlane)) {
            assertThatThrownBy(() -> scheduler.resource(token).create()).hasMessageContaining("than Opaque");
            assertThatThrownBy(() -> scheduler.resource(token).serverSideApply())
                    .hasMessageContaining("than Opaque");
        }
        assertThat(client.resource(token).get()).isNull();
    }

    @Test
    void othersMakeWhatTheyWant(ControlPlane controlPlane, KubernetesClient client) {
        READ_BY_THE_SCALER.forEach(name ->
                assertThatCode(() -> create(client, secret(name, "Opaque"))).doesNotThrowAnyException());
        try (var other = as("default", controlPlane)) {
            assertThatCode(() -> create(other, secret("any", TOKEN))).doesNotThrowAnyException();
        }
    }

    private static boolean isRefused(KubernetesClient component) {
        try {
            create(component, secret("trainyard-notify", "Opaque"));
            return false;
        } catch (KubernetesClientException e) {
            return e.getMessage().contains("ValidatingAdmissionPolicy");
        }
    }

    private static void assertRefused(KubernetesClient component, Secret secret, String why) {
        assertThatThrownBy(() -> create(component, secret))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining(why)
                .extracting(thrown -> ((KubernetesClientException) thrown).getCode())
                .isEqualTo(403);
    }

    private static void create(KubernetesClient client, Secret secret) {
        client.secrets().inNamespace(Names.NAMESPACE).resource(secret).dryRun().create();
    }

    private static Secret generated(String prefix) {
        return new SecretBuilder(secret(prefix, "Opaque"))
                .editMetadata()
                .withName(null)
                .withGenerateName(prefix)
                .endMetadata()
                .build();
    }

    private static Secret secret(String name, String type) {
        return new SecretBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(Names.NAMESPACE)
                .addToAnnotations("kubernetes.io/service-account.name", "trainyard-webhook")
                .endMetadata()
                .withType(type)
                .build();
    }

    private static KubernetesClient as(String account, ControlPlane controlPlane) {
        return ControlPlane.client(controlPlane.kubeconfigFor(
                "system:serviceaccount:%s:%s".formatted(Names.NAMESPACE, account), List.of("system:serviceaccounts")));
    }
}
