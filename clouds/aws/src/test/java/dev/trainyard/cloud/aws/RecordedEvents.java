package dev.trainyard.cloud.aws;

/**
 * Events of EventBridge: those about EC2 and its groups as in the user guides, those of AWS Health as recorded by others, and as in the AWS
 * Health user guide. Descriptions are shortened.
 */
final class RecordedEvents {

    static final String EC2_INSTANCE = "i-1234567890abcdef0";

    private RecordedEvents() {}

    static String interruption(String instance, String time, String action) {
        return """
                {"version": "0", "id": "12345678-1234-1234-1234-123456789012",
                 "detail-type": "EC2 Spot Instance Interruption Warning", "source": "aws.ec2", "account": "123456789012",
                 "time": "%2$s", "region": "us-east-2",
                 "resources": ["arn:aws:ec2:us-east-2a:instance/%1$s"],
                 "detail": {"instance-id": "%1$s", "instance-action": "%3$s"}}
                """.formatted(instance, time, action);
    }

    static String rebalance(String instance) {
        return """
                {"version": "0", "id": "12345678-1234-1234-1234-123456789012",
                 "detail-type": "EC2 Instance Rebalance Recommendation", "source": "aws.ec2", "account": "123456789012",
                 "time": "2026-01-01T10:00:00Z", "region": "us-east-2",
                 "resources": ["arn:aws:ec2:us-east-2:123456789012:instance/%1$s"],
                 "detail": {"instance-id": "%1$s"}}
                """.formatted(instance);
    }

    static String state(String instance, String state) {
        return """
                {"id": "7bf73129-1428-4cd3-a780-95db273d1602", "detail-type": "EC2 Instance State-change Notification",
                 "source": "aws.ec2", "account": "123456789012", "time": "2021-11-11T21:29:54Z", "region": "us-east-1",
                 "resources": ["arn:aws:ec2:us-east-1:123456789012:instance/%1$s"],
                 "detail": {"instance-id": "%1$s", "state": "%2$s"}}
                """.formatted(instance, state);
    }

    static String lifecycleAction(String instance) {
        return """
                {"version": "0", "id": "12345678-1234-1234-1234-123456789012",
                 "detail-type": "EC2 Instance-terminate Lifecycle Action", "source": "aws.autoscaling",
                 "account": "123456789012", "time": "2026-01-01T10:00:00Z", "region": "us-west-2",
                 "resources": ["auto-scaling-group-arn"],
                 "detail": {"LifecycleActionToken": "87654321-4321-4321-4321-210987654321", "AutoScalingGroupName": "my-asg",
                  "LifecycleHookName": "my-lifecycle-hook", "EC2InstanceId": "%s",
                  "LifecycleTransition": "autoscaling:EC2_INSTANCE_TERMINATING",
                  "NotificationMetadata": "additional-info", "Origin": "AutoScalingGroup", "Destination": "EC2"}}
                """.formatted(instance);
    }

    /** In this event of 2018, the time of the event is the start of the change. */
    static String retirement() {
        return """
                {"id": "00fdef86-e930-cc2a-3bf7-1fd61ab3c89f", "time": "2018-11-01T22:00:00Z",
                 "detail": {"endTime": "Thu, 1 Nov 2018 22:00:00 GMT", "service": "EC2",
                  "eventArn": "arn:aws:health:us-east-1::event/EC2/AWS_EC2_PERSISTENT_INSTANCE_RETIREMENT_SCHEDULED/AWS_EC2_PERSISTENT_INSTANCE_RETIREMENT_SCHEDULED3d776ac7",
                  "startTime": "Thu, 1 Nov 2018 22:00:00 GMT",
                  "eventTypeCode": "AWS_EC2_PERSISTENT_INSTANCE_RETIREMENT_SCHEDULED",
                  "affectedEntities": [{"tags": {}, "entityValue": "i-0c608386538544571"}],
                  "eventDescription": [{"language": "en_US", "latestDescription": "EC2 has detected degradation"}],
                  "eventTypeCategory": "scheduledChange"},
                 "region": "us-east-1", "source": "aws.health", "account": "076173845600", "version": "0",
                 "resources": ["i-0c608386538544571"], "detail-type": "AWS Health Event"}
                """;
    }

    /** @param start the start of the change. The day of the week is wrong, as in AWS's own example */
    static String scheduled(String type, String status, String start) {
        return """
                {"version": "0", "id": "121345678-1234-1234-1234-123456789012", "detail-type": "AWS Health Event",
                 "source": "aws.health", "account": "123456789012", "time": "2022-06-03T06:27:57Z", "region": "us-west-2",
                 "resources": ["i-12345678", "i-87654321"],
                 "detail": {"eventArn": "arn:aws:health:us-west-2::event/%1$s_90353408594353980", "service": "EC2",
                  "eventTypeCode": "%1$s", "eventTypeCategory": "scheduledChange", "eventScopeCode": "ACCOUNT_SPECIFIC",
                  "communicationId": "01b0993207d81a09dcd552ebd1e633e36cf1f09a-1", "startTime": "%3$s",
                  "lastUpdatedTime": "Fri, 3 Jun 2022 05:29:12 GMT", "statusCode": "%2$s", "eventRegion": "us-west-2",
                  "eventDescription": [{"language": "en_US", "latestDescription": "A description"}],
                  "affectedEntities": [
                   {"entityValue": "i-12345678", "lastupdatedTime": "Thu, 26 Jan 2022 19:01:55 GMT", "status": "PENDING"},
                   {"entityValue": "arn:aws:ec2:us-west-2:123456789012:instance/i-87654321"}, {"entityValue": "h-0123456789"}],
                  "page": "1", "totalPages": "1", "backupEvent": "false", "affectedAccount": "123456789012"}}
                """.formatted(type, status, start);
    }
}
