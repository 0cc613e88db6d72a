module.exports = {baseUrl: '/', presets: [['classic', {docs: {include: ['**/*.mdx']}}]]};
