import starlight from '@astrojs/starlight';
const locales = { root: { label: 'English', lang: 'en' }, 'zh-cn': { label: 'x', lang: 'zh-CN' } };
export default defineConfig({ integrations: [starlight({ title: 'x', defaultLocale: 'root', locales })] });
