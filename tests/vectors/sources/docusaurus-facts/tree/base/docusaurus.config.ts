import type {Config} from '@docusaurus/types';
const config: Config = {
  title: 'x', url: 'https://example.com', baseUrl: '/base/',
  i18n: {defaultLocale: 'en', locales: ['en']},
  presets: [['classic', {docs: {routeBasePath: 'guide'}, blog: false} satisfies Options]],
};
export default config;
