import type { ContactMethod, ContactMethodList, CreateContactMethodBody } from '../notifying/contact-methods.ts'
import { PAGE } from './common.ts'

const method: ContactMethod = {
  id: 'chn_01m7z6a1rkf0q8s4v2x9c3bwhn',
  type: 'ntfy',
  config: { url: 'https://ntfy.example.com', topic: 'ada', token: '•••' },
  created_at: '2026-11-21T09:32:40.000Z',
  last_error: null,
  last_test: { at: '2026-11-21T09:33:02.731Z', delivered: true },
}

export const CONTACT_METHOD_EXAMPLES = {
  CreateContactMethodBody: {
    example: { type: 'ntfy', config: { url: 'https://ntfy.example.com', topic: 'ada' } } satisfies CreateContactMethodBody,
    email: { type: 'email' } satisfies CreateContactMethodBody,
  },
  ContactMethod: { example: method },
  ContactMethodList: { example: { contact_methods: [method], ...PAGE } satisfies ContactMethodList },
}
