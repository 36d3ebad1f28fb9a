import type {
  CreateStatusPageBody,
  PatchStatusPageBody,
  StatusPage,
  StatusPageList,
  StatusPagePreview,
} from '../pages/status-pages.ts'
import { PAGE } from './common.ts'

const statusPage: StatusPage = {
  id: 'spg_01m7z6c3t5r8w2x4y6z8a0b1cd',
  name: 'Public page',
  slug: 'acme',
  domain: 'status.example.com',
  title: 'Acme status',
  description: 'The services of Acme',
  logo: null,
  accent: '#2f5fc6',
  theme: 'auto',
  time_zone: 'Europe/Berlin',
  language: 'en',
  sections: [{ name: 'Services', tag: 'public', show: ['uptime', 'response'] }],
  visibility: 'public',
  indexed: true,
  published: true,
  templates: [{ name: 'Payment provider', title: 'Payments are delayed', text: 'Our provider reports a problem.' }],
  url: 'https://vedette.example.com/status/acme',
  domain_status: 'pending',
  domain_record: { name: '_vedette.status.example.com', value: 'vedette-page=Zk3vU0d1nq8yT5bXw2Lr7cP4sGh9Jm6A' },
  created_at: '2026-11-21T09:13:38.000Z',
  updated_at: '2026-11-21T09:13:38.000Z',
}

export const STATUS_PAGE_EXAMPLES = {
  CreateStatusPageBody: {
    example: {
      name: 'Public page',
      slug: 'acme',
      title: 'Acme status',
      sections: [{ name: 'Services', tag: 'public', show: ['uptime', 'response'] }],
      published: true,
    } satisfies CreateStatusPageBody,
  },
  PatchStatusPageBody: { example: { published: false } satisfies PatchStatusPageBody },
  StatusPage: { example: statusPage },
  StatusPageList: { example: { status_pages: [statusPage], ...PAGE } satisfies StatusPageList },
  StatusPagePreview: { example: { html: '<!doctype html><html lang="en">…</html>' } satisfies StatusPagePreview },
}
