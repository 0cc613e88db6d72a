import starlight from '@astrojs/starlight';
export default defineConfig({ integrations: [starlight({ title: 'x', defaultLocale: 'en', locales: { en: { label: 'E' }, de: { label: 'D' } } })] });
