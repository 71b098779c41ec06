package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LaunchFailuresTest {

    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    /** Texts as AWS writes them, collected from its user guide and from users' reports. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "on-demand | capacity | We currently do not have sufficient p3.2xlarge capacity in the Availability Zone you requested (us-east-1a). Our system will be working on provisioning additional capacity. You can currently get p3.2xlarge capacity by not specifying an Availability Zone in your request or choosing us-east-1b. Launching EC2 instance failed.",
                "spot | spot-capacity | Could not launch Spot Instances. InsufficientInstanceCapacity - There is no Spot capacity available that matches your request. Launching EC2 instance failed.",
                "spot | spot-capacity | Could not launch Spot Instances. UnfulfillableCapacity - Unable to fulfill capacity due to your request configuration. Please adjust your request and try again. Launching EC2 instance failed.",
                "on-demand | spot-capacity | Could not launch Spot Instances. UnfulfillableCapacity - Unable to fulfill capacity due to your request configuration.",
                "on-demand | capacity | Could not launch On-Demand Instances. InsufficientInstanceCapacity - We currently do not have sufficient g4dn.xlarge capacity.",
                "spot | spot-capacity | Could not launch Spot Instances. SpotMaxPriceTooLow - Your Spot request price of 0.01 is lower than the minimum required Spot request fulfillment price of 0.1. Launching EC2 instance failed.",
                "spot | quota | Max spot instance count exceeded. Placing Spot instance request failed.",
                "spot | quota | Could not launch Spot Instances. MaxSpotInstanceCountExceeded - Max spot instance count exceeded. Launching EC2 instance failed.",
                "on-demand | quota | You have requested more instances (11) than your current instance limit of 10 allows for the specified instance type. Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit. Launching EC2 instance failed.",
                "on-demand | quota | You have requested more vCPU capacity than your current vCPU limit of 32 allows for the instance bucket that the specified instance type belongs to.",
                "on-demand | quota | Client.VolumeLimitExceeded: Volume limit exceeded",
                "on-demand | quota | There are not enough free addresses in subnet 'subnet-1' to satisfy the requested number of instances. InsufficientFreeAddressesInSubnet",
                "on-demand | invalid-configuration | Your requested instance type (p3.2xlarge) is not supported in your requested Availability Zone (us-east-1e). Please retry your request by not specifying an Availability Zone or choosing us-east-1a. Launching EC2 instance failed.",
                "on-demand | invalid-configuration | The requested configuration is currently not supported. Please check the documentation for supported configurations. Launching EC2 instance failed.",
                "on-demand | invalid-configuration | The image id '[ami-1]' does not exist. Launching EC2 instance failed.",
                "on-demand | invalid-configuration | The security group 'sg-1' does not exist. Launching EC2 instance failed.",
                "on-demand | invalid-configuration | The key pair 'kops' does not exist. Launching EC2 instance failed.",
                "on-demand | invalid-configuration | Client.InternalError: Client error on launch.",
                "on-demand | auth | You are not authorized to perform this operation. Launching EC2 instance failed.",
                "on-demand | transient | Something that nobody has seen yet. Launching EC2 instance failed."
            })
    void whatAwsSaysHasAKind(String market, String kind, String message) {
        var failures = LaunchFailures.of(List.of(failed(message, 0)), market.equals("spot"));
        assertThat(failures).containsExactly(new Failure(FailureKind.ofWord(kind), message, NOON.plusSeconds(1)));
    }

    @Test
    void anOrderThatWasCalledOffIsNoFailure() {
        var cancelled = new Activity(
                "1",
                "Launching a new EC2 instance.",
                "Cancelled",
                "The activity was cancelled.",
                "",
                NOON,
                Optional.of(NOON));
        assertThat(LaunchFailures.of(List.of(cancelled), true)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Request limit exceeded. Launching EC2 instance failed.", "RequestLimitExceeded", "Rate exceeded"
            })
    void throttlingBlamesNoGroup(String message) {
        assertThat(LaunchFailures.of(List.of(failed(message, 0)), true)).isEmpty();
    }

    @Test
    void theLatestOfAKindIsTold() {
        var message = "Could not launch Spot Instances. InsufficientInstanceCapacity";
        assertThat(LaunchFailures.of(
                        List.of(failed(message, 60), failed(message, 0), failed("The image id does not exist.", 5)),
                        true))
                .extracting(Failure::at)
                .containsExactlyInAnyOrder(NOON.plusSeconds(61), NOON.plusSeconds(6));
    }

    @Test
    void anInstanceMakesUpForTheLatestFailureBeforeItAndForNoOther() {
        var message = "Could not launch Spot Instances. InsufficientInstanceCapacity";
        var earlier = failed(message, 0);
        var later = failed(message, 60);

        assertThat(LaunchFailures.of(List.of(launched(90), earlier, later), true))
                .extracting(Failure::at)
                .containsExactly(NOON.plusSeconds(1));
        assertThat(LaunchFailures.of(List.of(launched(90), launched(30), earlier, later), true))
                .isEmpty();
        assertThat(LaunchFailures.of(List.of(launched(30), launched(30), earlier, later), true))
                .extracting(Failure::at)
                .containsExactly(NOON.plusSeconds(61));
    }

    private static Activity launched(int second) {
        return new Activity(
                "launched at " + second,
                "Launching a new EC2 instance: i-0123456789abcdef0",
                "Successful",
                "",
                "",
                NOON.plusSeconds(second),
                Optional.of(NOON.plusSeconds(second + 20)));
    }

    private static Activity failed(String message, int second) {
        return new Activity(
                String.valueOf(second),
                "Launching a new EC2 instance.  Status Reason: " + message,
                "Failed",
                message,
                "",
                NOON.plusSeconds(second),
                Optional.of(NOON.plusSeconds(second + 1)));
    }
}
