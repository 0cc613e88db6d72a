export default {baseUrl: '/', presets: [['classic', {docs: {sidebarPath: './side.ts'}}]]} satisfies Config;
