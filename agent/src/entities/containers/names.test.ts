import { expect, test } from 'vitest'
import { nameOf } from './names.ts'

const compose = (number: string, more: Record<string, string> = {}) => ({
  'com.docker.compose.project': 'shop',
  'com.docker.compose.service': 'web',
  'com.docker.compose.container-number': number,
  ...more,
})

test.each<[string, string, Record<string, unknown>]>([
  ['brave_curie', 'brave_curie', {}],
  ['shop-web-1', 'shop/web', compose('1')],
  ['shop-web-2', 'shop/web/2', compose('2')],
  ['shop-web-run-5', 'shop-web-run-5', compose('1', { 'com.docker.compose.oneoff': 'True' })],
  ['shop-web-1', 'shop/web', compose('x\n')],
  ['shop-web-1', 'shop-web-1', { 'com.docker.compose.project': 'shop', 'com.docker.compose.service': 7 }],
  ['p_db_1', 'p/db', { 'io.podman.compose.project': 'p', 'com.docker.compose.service': 'db' }],
  [
    'prod_api.3.k2x',
    'prod/api/3',
    {
      'com.docker.stack.namespace': 'prod',
      'com.docker.swarm.service.name': 'prod_api',
      'com.docker.swarm.task.name': 'prod_api.3.k2x',
    },
  ],
  [
    'k8s_app_web-5d_default_1_0',
    'default/web-5d/app',
    {
      'io.kubernetes.pod.namespace': 'default',
      'io.kubernetes.pod.name': 'web-5d',
      'io.kubernetes.container.name': 'app',
    },
  ],
])('the container %s is called %s', (ownName, name, labels) => expect(nameOf(ownName, labels).name).toBe(name))
