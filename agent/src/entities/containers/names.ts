import { type Labels, textIn } from './api.ts'

export interface ContainerName {
  name: string
  project?: string
  service?: string
}

/**
 * The stable name of a container: `project/service` of Compose and Swarm, with `/number` from the second replica on,
 * `namespace/pod/container` of Kubernetes, else the name that the engine has. Compose gives a one-off container (`compose run`) the
 * labels of the service, which it is not.
 */
export function nameOf(ownName: string, labels: Labels): ContainerName {
  const label = (name: string) => textIn(labels, name)
  const project = label('com.docker.compose.project') || label('io.podman.compose.project')
  const service = label('com.docker.compose.service') || label('io.podman.compose.service')
  if (project && service && label('com.docker.compose.oneoff') !== 'True')
    return { name: numbered(project, service, label('com.docker.compose.container-number')), project, service }
  const swarmService = label('com.docker.swarm.service.name')
  if (swarmService) {
    const stack = label('com.docker.stack.namespace')
    const inStack = stack && swarmService.startsWith(`${stack}_`) ? swarmService.slice(stack.length + 1) : swarmService
    // Task names are `service.slot.id`; of a service on every node the slot is the id of the node.
    const slot =
      label('com.docker.swarm.task.name')
        .slice(swarmService.length + 1)
        .split('.')[0] ?? ''
    return { name: numbered(stack || 'swarm', inStack, slot), ...(stack && { project: stack }), service: inStack }
  }
  const pod = label('io.kubernetes.pod.name')
  const container = label('io.kubernetes.container.name')
  if (pod && container) {
    const namespace = label('io.kubernetes.pod.namespace')
    return { name: `${namespace}/${pod}/${container}`, project: namespace, service: container }
  }
  return { name: ownName, ...(project && { project }) }
}

function numbered(project: string, service: string, number: string): string {
  return /^[1-9]\d{0,5}$/.test(number) && number !== '1' ? `${project}/${service}/${number}` : `${project}/${service}`
}
