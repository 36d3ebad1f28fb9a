const LINE = 'node_load1{instance="web-1",server_id="srv_01m7ynqn7regvvxphj8vj2pz1s"} 0.11\n'

export const PROMETHEUS_EXAMPLES = {
  PrometheusText: { text: `# HELP node_load1 Load, mean of 1 minute.\n# TYPE node_load1 gauge\n${LINE}` },
  OpenMetricsText: { text: `# TYPE node_load1 gauge\n# HELP node_load1 Load, mean of 1 minute.\n${LINE}# EOF\n` },
}
