# A queue for AWS's notices about instances, and the rules that fill the queue: docs/aws.md. The same as notices.yaml.
variable "cluster" {
  type        = string
  description = "The value of the tag trainyard-cluster of the scaler's role"
}

locals {
  trainyard_events = {
    spot = {
      source      = ["aws.ec2"]
      detail-type = ["EC2 Spot Instance Interruption Warning", "EC2 Instance Rebalance Recommendation"]
    }
    state = {
      source      = ["aws.ec2"]
      detail-type = ["EC2 Instance State-change Notification"]
      detail      = { state = ["stopping", "stopped", "shutting-down", "terminated", "running"] }
    }
    health = {
      source      = ["aws.health"]
      detail-type = ["AWS Health Event"]
      detail      = { service = ["EC2"], eventTypeCategory = ["scheduledChange"] }
    }
    lifecycle = {
      source      = ["aws.autoscaling"]
      detail-type = ["EC2 Instance-terminate Lifecycle Action"]
    }
  }
}

resource "aws_sqs_queue" "trainyard" {
  name                      = "trainyard-${var.cluster}"
  message_retention_seconds = 3600
  sqs_managed_sse_enabled   = true
}

resource "aws_cloudwatch_event_rule" "trainyard" {
  for_each      = local.trainyard_events
  name          = "trainyard-${var.cluster}-${each.key}"
  event_pattern = jsonencode(each.value)
}

resource "aws_cloudwatch_event_target" "trainyard" {
  for_each = local.trainyard_events
  rule     = aws_cloudwatch_event_rule.trainyard[each.key].name
  arn      = aws_sqs_queue.trainyard.arn
}

resource "aws_sqs_queue_policy" "trainyard" {
  queue_url = aws_sqs_queue.trainyard.url
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "events.amazonaws.com" }
      Action    = "sqs:SendMessage"
      Resource  = aws_sqs_queue.trainyard.arn
      Condition = { ArnEquals = { "aws:SourceArn" = values(aws_cloudwatch_event_rule.trainyard)[*].arn } }
    }]
  })
}

output "queue_url" {
  value       = aws_sqs_queue.trainyard.url
  description = "The value of spec.noticeQueues[].sqs in the TrainingCluster"
}
